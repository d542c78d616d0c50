package insync.agent.broker;

import com.yammer.metrics.core.Gauge;
import com.yammer.metrics.core.MetricName;
import com.yammer.metrics.core.MetricsRegistry;
import insync.core.Insync;
import insync.core.isr.Stats;
import insync.core.stepdown.Outcome;
import insync.core.stepdown.StepDownStats;
import java.util.function.Supplier;

/** Registers the plugin's figures in Kafka's own metrics registry, over JMX as insync:type=TYPE,name=NAME. */
public final class Metrics {

    private Metrics() { }

    static void registerPendingReads(MetricsRegistry registry, Insync insync) {
        Stats stats = insync.stats();
        String type = "PendingReads";
        gauge(registry, type, "PendingNow", stats::pendingNow);
        gauge(registry, type, "HeldFollowersNow", stats::heldNow);
        gauge(registry, type, "MarksOutlived", insync.stats()::outlivedTotal);
        gauge(registry, type, "HoldsGranted", stats::holdsGranted);
        gauge(registry, type, "LongestHoldMs", stats::longestHoldMs);
        gauge(registry, type, "LeaderPausedMs", stats::leaderPausedMs);
        gauge(registry, type, "Errors", insync.failures()::count);
        gauge(registry, type, "EventsDropped", insync.events()::dropped);
        gauge(registry, type, "EventsPublished", insync.events().published()::written);
        gauge(registry, type, "EventsNotPublished", insync.events().published()::dropped);
    }

    static void registerStepDown(MetricsRegistry registry, StepDownStats stats) {
        String type = "StepDown";
        gauge(registry, type, "Asked", stats::asked);
        gauge(registry, type, "Withheld", stats::withheld);
        gauge(registry, type, "Done", () -> stats.count(Outcome.DONE));
        gauge(registry, type, "Refused", () -> stats.count(Outcome.REFUSED));
        gauge(registry, type, "Failed", () -> stats.count(Outcome.FAILED));
        gauge(registry, type, "ConnectionsClosed", stats::connectionsClosed);
        gauge(registry, type, "Slow", () -> stats.isSlow() ? 1 : 0);
        gauge(registry, type, "SlowPeers", stats::slowPeers);
    }

    private static void gauge(MetricsRegistry registry, String type, String name, Supplier<? extends Number> value) {
        registry.newGauge(new MetricName("insync", type, name, null, "insync:type=" + type + ",name=" + name),
            new Gauge<Number>() {
                @Override
                public Number value() {
                    return value.get();
                }
            });
    }
}
