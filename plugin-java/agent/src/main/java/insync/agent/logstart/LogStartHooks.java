package insync.agent.logstart;

import insync.agent.weave.Hook;
import insync.agent.weave.HooksOnDemand;
import java.util.ArrayList;
import java.util.List;
import kafka.server.KafkaConfig;

/** Contains the hooks of the two configs for a version of Kafka; each is woven only if its config is on. */
public final class LogStartHooks {
    private final List<Hook> bound;
    private final List<Hook> snapshot;

    public LogStartHooks(List<Hook> bound, List<Hook> snapshot) {
        this.bound = bound;
        this.snapshot = snapshot;
    }

    /**
     * Returns the hooks of all versions from 3.6 on.
     *
     * @param log the class of a partition's log
     */
    public static LogStartHooks since36(String log) {
        return new LogStartHooks(List.of(LogHooks.bound(log)),
            List.of(LogReadInfoHooks.snapshot(), PartitionHooks.movedHighWatermark()));
    }

    /** Weaves the hooks that a broker's settings turn on. */
    public void weave(KafkaConfig config, HooksOnDemand onDemand) {
        weave(config, "bound", bound, onDemand);
        weave(config, "snapshot", snapshot, onDemand);
    }

    private static void weave(KafkaConfig config, String fix, List<Hook> hooks, HooksOnDemand onDemand) {
        if (LogStartConfigs.isOn(config, fix)) {
            onDemand.weave(hooks, LogStartConfigs.FIX + "=" + fix);
        }
    }

    public List<Hook> all() {
        List<Hook> all = new ArrayList<>(bound);
        all.addAll(snapshot);
        return all;
    }
}
