package insync.agent.metrics;

import com.yammer.metrics.core.Gauge;
import com.yammer.metrics.core.Histogram;
import com.yammer.metrics.core.Meter;
import com.yammer.metrics.core.MetricName;
import com.yammer.metrics.core.MetricsRegistry;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Registers metrics in Kafka's own registry, under names as Kafka makes them: GROUP:type=TYPE,name=NAME,TAG=VALUE. Kafka's
 * reporters, JMX among them, expose what is in it. A metric that exists is replaced: it is of an earlier broker in this JVM.
 */
final class KafkaRegistry {
    private final MetricsRegistry registry;

    KafkaRegistry(MetricsRegistry registry) {
        this.registry = registry;
    }

    /**
     * Returns a metric's name.
     *
     * @param tags alternating tags and values
     */
    static MetricName name(AgentMetric metric, String... tags) {
        StringBuilder bean = new StringBuilder(metric.type().group()).append(":type=").append(metric.type().type())
            .append(",name=").append(metric.metric());
        TreeSet<String> scope = new TreeSet<>();
        for (int i = 0; i < tags.length; i += 2) {
            bean.append(',').append(tags[i]).append('=').append(tags[i + 1]);
            scope.add(tags[i] + "." + tags[i + 1].replace('.', '_'));
        }
        return new MetricName(metric.type().group(), metric.type().type(), metric.metric(),
            scope.isEmpty() ? null : String.join(".", scope), bean.toString());
    }

    void gauge(MetricName name, Supplier<?> value) {
        registry.removeMetric(name);
        registry.newGauge(name, new Gauge<Object>() {
            @Override
            public Object value() {
                return value.get();
            }
        });
    }

    /** @param events what is counted, in the plural */
    Meter meter(MetricName name, String events) {
        registry.removeMetric(name);
        return registry.newMeter(name, events, TimeUnit.SECONDS);
    }

    Histogram histogram(MetricName name) {
        registry.removeMetric(name);
        return registry.newHistogram(name, true);
    }

    void remove(MetricName name) {
        registry.removeMetric(name);
    }
}
