package insync.agent.stepdown.controller;

import insync.agent.kafka.KafkaClock;
import insync.core.stepdown.controller.RecentStepDowns;
import java.util.function.IntPredicate;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.metadata.Replicas;

/**
 * The controllers of this JVM: which partitions cool down after a step-down, and whether the election under way is one that
 * nobody asked for. A preferred election that an operator asks for is never held up.
 */
public final class AutomaticElections {
    private static final RecentStepDowns<String> RECENT = new RecentStepDowns<>(new KafkaClock(Time.SYSTEM));
    private static final ThreadLocal<Boolean> AUTOMATIC = new ThreadLocal<>();

    private AutomaticElections() { }

    static void steppedDown(Uuid topicId, int partitionId, int exLeader, long cooldownMs) {
        RECENT.add(key(topicId, partitionId), exLeader, cooldownMs);
    }

    /** The controller's thread begins to restore preferred leaders, or ends it. */
    public static void restoring(boolean begins) {
        if (begins) {
            AUTOMATIC.set(Boolean.TRUE);
        } else {
            AUTOMATIC.remove();
        }
    }

    /** Whether this thread restores preferred leaders, while there are partitions that cool down. */
    public static boolean automatic() {
        return !RECENT.isEmpty() && AUTOMATIC.get() != null;
    }

    /** Whether a candidate stepped down there just now, and the partition is well led without it. */
    public static boolean comesBackTooEarly(PartitionRegistration partition, Uuid topicId, int partitionId,
                                            IntPredicate mayLead, int candidate) {
        return candidate != partition.leader && RECENT.contains(key(topicId, partitionId), candidate)
            && Replicas.contains(partition.isr, partition.leader) && mayLead.test(partition.leader);
    }

    private static String key(Uuid topicId, int partitionId) {
        return topicId + "-" + partitionId;
    }
}
