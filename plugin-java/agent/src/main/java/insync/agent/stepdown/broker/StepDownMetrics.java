package insync.agent.stepdown.broker;

import com.yammer.metrics.core.Gauge;
import com.yammer.metrics.core.MetricName;
import com.yammer.metrics.core.MetricsRegistry;
import insync.core.stepdown.Outcome;
import insync.core.stepdown.StepDownStats;
import java.util.function.Supplier;

/** What the watch decided, in Kafka's own metrics registry, over JMX as insync:type=StepDown,name=... */
final class StepDownMetrics {

    private StepDownMetrics() { }

    static void register(MetricsRegistry registry, StepDownStats stats) {
        gauge(registry, "Asked", stats::asked);
        gauge(registry, "Withheld", stats::withheld);
        gauge(registry, "Done", () -> stats.count(Outcome.DONE));
        gauge(registry, "Refused", () -> stats.count(Outcome.REFUSED));
        gauge(registry, "Failed", () -> stats.count(Outcome.FAILED));
        gauge(registry, "ConnectionsClosed", stats::connectionsClosed);
        gauge(registry, "SlowScore", stats::score);
        gauge(registry, "SlowPeers", stats::slowPeers);
    }

    private static void gauge(MetricsRegistry registry, String name, Supplier<? extends Number> value) {
        registry.newGauge(new MetricName("insync", "StepDown", name, null, "insync:type=StepDown,name=" + name),
            new Gauge<Number>() {
                @Override
                public Number value() {
                    return value.get();
                }
            });
    }
}
