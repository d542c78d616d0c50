package insync.agent.logstart;

import insync.agent.weave.Hook;
import insync.agent.weave.HooksOnDemand;
import insync.core.Insync;
import insync.core.logstart.LogStartRule;
import java.util.List;
import kafka.server.KafkaConfig;

/** Between the hooks and the rule: weaves what a broker's settings ask for, and counts what was put right. */
public final class LogStarts {
    private static volatile LogStartHooks hooks = new LogStartHooks(List.of(), List.of());
    private static volatile HooksOnDemand weaver;

    private LogStarts() { }

    /**
     * Called before the configs are defined.
     *
     * @param adapted the hooks as the broker's version needs them, or null where it has them not
     * @param onDemand weaves them once a broker asks for it
     * @param ifUnset what is on where a broker's settings do not say
     */
    public static void prepare(LogStartHooks adapted, HooksOnDemand onDemand, String ifUnset) {
        if (adapted != null) {
            hooks = adapted;
        }
        weaver = onDemand;
        LogStartConfigs.prepare(adapted != null, ifUnset);
    }

    /** A broker's ReplicaManager is made: only now is it known which hooks are wanted. */
    public static void started(KafkaConfig config) {
        weave(LogStartConfigs.isBoundOn(config), hooks.bound(), LogStartConfigs.BOUND);
        weave(LogStartConfigs.isSnapshotOn(config), hooks.snapshot(), LogStartConfigs.SNAPSHOT);
    }

    private static void weave(boolean on, List<Hook> wanted, String config) {
        if (on) {
            wanted.forEach(hook -> weaver.weave(hook, config + "=true"));
        }
    }

    /** The log start offset to which a follower may go; see {@link LogStartRule#bounded}. */
    public static long bounded(long leaders, long ownEnd, long ownHighWatermark) {
        long bounded = LogStartRule.bounded(leaders, ownEnd, ownHighWatermark);
        if (bounded != leaders) {
            Insync.current().logStarts().bounded();
        }
        return bounded;
    }

    /** The log start offset that a leader's answer may give; see {@link LogStartRule#ofAnswer}. */
    public static long ofAnswer(long logStart, long highWatermark) {
        long start = LogStartRule.ofAnswer(logStart, highWatermark);
        if (start != logStart) {
            Insync.current().logStarts().snapshot();
        }
        return start;
    }
}
