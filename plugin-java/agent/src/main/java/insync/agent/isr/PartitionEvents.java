package insync.agent.isr;

import insync.agent.Extension;
import insync.agent.broker.Brokers;
import insync.agent.kafka.ScalaIds;
import insync.core.Insync;
import insync.core.events.EventLog;
import insync.core.isr.FollowerTracker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import kafka.cluster.Partition;

/**
 * Emits events when this broker decides to change leadership or ISR. It runs under Kafka's leaderIsrUpdateLock, so it
 * only reads values and queues events, and never waits. The controller may still refuse an ISR
 * change: its metadata log, not these events, is the truth about the ISR.
 */
public final class PartitionEvents {

    private PartitionEvents() { }

    /** Returns whether events go anywhere. */
    public static boolean areOn() {
        return Insync.current().events().isOn() && !Insync.isDisabled();
    }

    /** Clears the trackers of a partition that this broker no longer leads. */
    public static void resigned(Partition partition, List<FollowerTracker> followers, int leaderEpoch) {
        followers.forEach(FollowerTracker::resigned);
        leaderChange(partition, "follower", leaderEpoch);
    }

    /** @param role this broker's new role: "leader" or "follower" */
    public static void leaderChange(Partition partition, String role, int leaderEpoch) {
        if (areOn()) {
            emit("leader_change", partition, EventLog.fields("role", role, "leader_epoch", leaderEpoch));
        }
    }

    /**
     * Emits which followers the leader removes from the ISR.
     *
     * @param brokerId the leader (this broker)
     * @param isr the ISR before
     */
    public static void shrink(Partition partition, int brokerId, Set<Integer> isr,
                              scala.collection.immutable.Set<Object> outOfSync) {
        List<Object> removed = new ArrayList<>();
        Set<Integer> left = new TreeSet<>(isr);
        for (int id : ScalaIds.list(outOfSync)) {
            left.remove(id);
            removed.add(PartitionState.follower(Brokers.access(), partition, id));
        }
        emit("isr_shrink", partition, EventLog.fields("reason", Extension.current().shrinkReason(brokerId),
            "leader_epoch", partition.getLeaderEpoch(), "isr", isr, "proposed", left, "followers", removed));
    }

    /** Emits which follower the leader adds to the ISR; {@code isr} is the ISR before. */
    public static void expand(Partition partition, Set<Integer> isr, int joining) {
        Set<Integer> grown = new TreeSet<>(isr);
        grown.add(joining);
        emit("isr_expand", partition, EventLog.fields("reason", "caught up to the high watermark",
            "leader_epoch", partition.getLeaderEpoch(), "isr", isr, "proposed", grown,
            "followers", List.of(PartitionState.follower(Brokers.access(), partition, joining))));
    }

    private static void emit(String type, Partition partition, Map<String, Object> fields) {
        Map<String, Object> all = EventLog.fields("topic", partition.topic(), "partition", partition.partitionId());
        all.putAll(fields);
        Insync.current().events().emit(type, all);
    }
}
