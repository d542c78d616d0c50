package insync.agent.broker;

import com.yammer.metrics.core.Gauge;
import com.yammer.metrics.core.MetricName;
import com.yammer.metrics.core.MetricsRegistry;
import insync.agent.isr.PendingReads;
import insync.core.Insync;
import insync.core.Stats;
import java.util.function.Supplier;

/** The plugin's figures in Kafka's own metrics registry, over JMX as insync:type=PendingReads,name=... */
public final class Metrics {

    private Metrics() { }

    static void register(MetricsRegistry registry, Insync insync) {
        Stats stats = insync.stats();
        gauge(registry, "PendingNow", stats::pendingNow);
        gauge(registry, "HeldFollowersNow", stats::heldNow);
        gauge(registry, "HoldsGranted", stats::holdsGranted);
        gauge(registry, "LongestHoldMs", stats::longestHoldMs);
        gauge(registry, "LeaderPausedMs", stats::leaderPausedMs);
        gauge(registry, "Errors", insync.failures()::count);
        gauge(registry, "EventsDropped", insync.events()::dropped);
        gauge(registry, "EventsPublished", insync.events().published()::written);
        gauge(registry, "EventsNotPublished", insync.events().published()::dropped);
    }

    private static void gauge(MetricsRegistry registry, String name, Supplier<? extends Number> value) {
        registry.newGauge(new MetricName("insync", "PendingReads", name, null, "insync:type=PendingReads,name=" + name),
            new Gauge<Number>() {
                @Override
                public Number value() {
                    return value.get();
                }
            });
    }
}
