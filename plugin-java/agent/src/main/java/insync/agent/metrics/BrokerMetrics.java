package insync.agent.metrics;

import com.yammer.metrics.core.Gauge;
import com.yammer.metrics.core.Histogram;
import com.yammer.metrics.core.Meter;
import com.yammer.metrics.core.MetricName;
import com.yammer.metrics.core.MetricsRegistry;
import insync.agent.Features;
import insync.core.Insync;
import insync.core.events.EventLog;
import insync.core.isr.Hold;
import insync.core.stepdown.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Keeps the metrics of this JVM's brokers, and of its controller, in Kafka's registry. Kafka's reporters, JMX among them, expose what is
 * in it. Gauges read counters when they are asked. Meters are moved to their counters every second while a scope is on, so no fetch
 * marks one. A metric that exists is replaced: it is of an earlier broker in this JVM.
 */
public final class BrokerMetrics implements Hold.Listener {
    private static volatile Map<String, Meter> ofController = Map.of();

    private final MetricsRegistry registry;
    private final Insync insync;
    /** Each moves a meter to its counter. */
    private final List<Runnable> meters = new ArrayList<>();
    private Histogram holdTime;

    private BrokerMetrics(MetricsRegistry registry, Insync insync) {
        this.registry = registry;
        this.insync = insync;
    }

    /** Registers what the version of a broker that starts supports, and receives holds from now on. */
    public static BrokerMetrics register(MetricsRegistry registry, Insync insync) {
        BrokerMetrics made = new BrokerMetrics(registry, insync);
        for (AgentMetric metric : AgentMetric.values()) {
            if (metric.type.isInBroker.test(Features.current())) {
                metric.tag.words.forEach(word -> made.register(metric, word));
            }
        }
        return made;
    }

    private void register(AgentMetric metric, String word) {
        MetricName name = metric.name(word);
        registry.removeMetric(name);
        if (metric.value != null) {
            registry.newGauge(name, new Gauge<Object>() {
                @Override
                public Object value() {
                    return metric.value.apply(insync);
                }
            });
        } else if (metric.count != null) {
            String constant = word.toUpperCase(Locale.ROOT);
            Meter meter = meter(registry, name);
            meters.add(() -> follow(meter, metric.count.applyAsLong(insync, constant)));
        } else {
            holdTime = registry.newHistogram(name, true);
        }
    }

    static Meter meter(MetricsRegistry registry, MetricName name) {
        return registry.newMeter(name, "events", TimeUnit.SECONDS);
    }

    /** Registers the metrics of a controller; repeated calls have no effect, unless the registry was emptied. */
    public static synchronized void registerController(MetricsRegistry registry, Insync insync) {
        AgentMetric metric = AgentMetric.CONTROLLER_STEP_DOWNS;
        if (registry.allMetrics().containsKey(metric.name(AgentMetric.NOT_TOLD))) {
            return;
        }
        BrokerMetrics agents = new BrokerMetrics(registry, insync);
        for (AgentMetric each : AgentMetric.values()) {
            if (each.type == AgentMetric.Type.AGENT) {
                agents.register(each, "");
            }
        }
        Map<String, Meter> made = new TreeMap<>();
        metric.tag.words.forEach(reason -> made.put(reason, meter(registry, metric.name(reason))));
        ofController = made;
    }

    /**
     * Counts a step-down that a controller carried out.
     *
     * @param reason as the leader tells it, or null
     */
    public static void steppedDown(Reason reason) {
        Meter meter = ofController.get(word(reason));
        if (meter != null) {
            meter.mark();
        }
    }

    /** Returns a reason's name in metrics and log lines. */
    public static String word(Reason reason) {
        return reason == null ? AgentMetric.NOT_TOLD : EventLog.word(reason);
    }

    /** Moves the meters to their counters. */
    public synchronized void update() {
        insync.stats.heldNow();
        meters.forEach(Runnable::run);
    }

    @Override
    public void released(Hold hold) {
        holdTime.update(hold.ageMs());
    }

    /**
     * Moves a meter to the value of its counter; one thread at a time calls it. So a hot path only increments the counter; a meter's own
     * mark updates four atomic numbers.
     */
    static void follow(Meter meter, long count) {
        long more = count - meter.count();
        if (more > 0) {
            meter.mark(more);
        }
    }
}
