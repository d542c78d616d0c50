package insync.agent.stepdown.controller;

import insync.agent.kafka.KafkaClock;
import insync.core.Insync;
import insync.core.stepdown.controller.RecentStepDowns;
import java.util.function.IntPredicate;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.metadata.Replicas;

/**
 * Records for the controllers of this JVM which partitions had a step-down recently, and whether a thread runs automatic
 * elections. A preferred election that an operator requests is never prevented.
 */
public final class AutomaticElections {
    private static final RecentStepDowns<String> RECENT = new RecentStepDowns<>(new KafkaClock(Time.SYSTEM));
    private static final ThreadLocal<Boolean> AUTOMATIC = new ThreadLocal<>();

    private AutomaticElections() { }

    static void steppedDown(Uuid topicId, int partitionId, int exLeader, long cooldownMs) {
        RECENT.add(key(topicId, partitionId), exLeader, cooldownMs);
    }

    /** Notes that the controller's thread begins automatic preferred elections, or ends them. */
    public static void restoring(boolean begins) {
        if (begins) {
            AUTOMATIC.set(Boolean.TRUE);
        } else {
            AUTOMATIC.remove();
        }
    }

    /** Returns whether this thread runs automatic preferred elections and any partition is in its cool-down. */
    public static boolean automatic() {
        return !RECENT.isEmpty() && AUTOMATIC.get() != null && !Insync.isDisabled();
    }

    /** Returns whether a candidate stepped down from the partition recently and the present leader can stay. */
    public static boolean comesBackTooEarly(PartitionRegistration partition, Uuid topicId, int partitionId,
                                            IntPredicate mayLead, int candidate) {
        return candidate != partition.leader && RECENT.contains(key(topicId, partitionId), candidate)
            && Replicas.contains(partition.isr, partition.leader) && mayLead.test(partition.leader);
    }

    private static String key(Uuid topicId, int partitionId) {
        return topicId + "-" + partitionId;
    }
}
