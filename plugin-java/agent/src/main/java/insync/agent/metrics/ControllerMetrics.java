package insync.agent.metrics;

import com.yammer.metrics.core.Meter;
import com.yammer.metrics.core.MetricsRegistry;
import insync.core.Insync;
import insync.core.stepdown.Reason;
import java.util.Map;
import java.util.TreeMap;

/** Keeps the metrics of this JVM's controller in Kafka's registry. */
public final class ControllerMetrics {
    private static volatile ControllerMetrics current = new ControllerMetrics(Map.of());

    private final Map<String, Meter> stepDowns;

    private ControllerMetrics(Map<String, Meter> stepDowns) {
        this.stepDowns = stepDowns;
    }

    /** Registers the metrics of a controller; repeated calls have no effect, unless the registry was emptied. */
    public static synchronized void register(MetricsRegistry all, Insync insync) {
        if (all.allMetrics().containsKey(KafkaRegistry.name(AgentMetric.CONTROLLER_STEP_DOWNS, "reason", AgentMetric.NOT_TOLD))) {
            return;
        }
        BrokerMetrics.registerAgent(all, insync);
        KafkaRegistry registry = new KafkaRegistry(all);
        Map<String, Meter> meters = new TreeMap<>();
        AgentMetric metric = AgentMetric.CONTROLLER_STEP_DOWNS;
        metric.tag().words().forEach(reason -> meters.put(reason,
            registry.meter(KafkaRegistry.name(metric, metric.tag().key(), reason), "step-downs")));
        current = new ControllerMetrics(meters);
    }

    /**
     * Counts a step-down.
     *
     * @param reason as the leader tells it, or null
     */
    public static void steppedDown(Reason reason) {
        Meter meter = current.stepDowns.get(word(reason));
        if (meter != null) {
            meter.mark();
        }
    }

    /** Returns a reason's name in metrics and log lines. */
    public static String word(Reason reason) {
        return reason == null ? AgentMetric.NOT_TOLD : reason.word();
    }
}
