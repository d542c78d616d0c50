package insync.agent.stepdown.controller;

import insync.agent.metrics.BrokerMetrics;
import insync.core.Insync;
import insync.core.events.EventLog;
import insync.core.log.BrokerLog.Level;
import insync.core.log.BrokerLog.Name;
import insync.core.stepdown.controller.RelinquishRule;
import insync.core.stepdown.controller.RelinquishTag;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AlterPartitionRequestData.BrokerState;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.apache.kafka.metadata.PartitionRegistration;

/** The result of a leader's request to step down, in the controller: the next leader and the new ISR. */
public final class LeadershipTransfer {
    public final int successor;
    /** The new ISR, in the requested order. */
    public final List<Integer> isr;

    private LeadershipTransfer(int successor, List<Integer> isr) {
        this.successor = successor;
        this.isr = isr;
    }

    /**
     * Returns the transfer of leadership if the leader's ISR change is a request to step down.
     *
     * @param mayLead Kafka's own check of which brokers are live
     * @return null if Kafka's own rules apply: no such request, no broker that could lead, or a reassignment under way
     */
    public static LeadershipTransfer asked(PartitionRegistration partition, Uuid topicId, int partitionId,
            IntPredicate mayLead, int minIsr, List<BrokerState> asked) {
        if (Insync.isDisabled()) {
            return null;
        }
        int[] ids = asked.stream().mapToInt(BrokerState::brokerId).toArray();
        if (!RelinquishRule.asksToStepDown(partition.isr, partition.leader, ids)
                || partition.addingReplicas.length > 0 || partition.removingReplicas.length > 0) {
            return null;
        }
        int successor = RelinquishRule.successor(ids, partition.leader, mayLead);
        if (successor == RelinquishRule.NOBODY) {
            return null;
        }
        RelinquishTag tag = RelinquishTag.decode(asked.get(ids.length - 1).unknownTaggedFields().stream()
            .filter(field -> field.tag() == RelinquishTag.TAG).map(RawTaggedField::data).findFirst().orElse(null));
        boolean leaves = tag.leaves && RelinquishRule.mayLeave(ids, minIsr);
        List<Integer> isr = new ArrayList<>();
        for (int id : ids) {
            if (id != partition.leader || !leaves) {
                isr.add(id);
            }
        }
        AutomaticElections.steppedDown(topicId, partitionId, partition.leader, tag.cooldownMs);
        Insync.current().events.emit("leader_relieved", EventLog.fields("topic_id", topicId.toString(),
            "partition", partitionId, "leader", partition.leader, "leader_epoch", partition.leaderEpoch,
            "successor", successor, "isr", isr, "leaves", leaves));
        BrokerMetrics.steppedDown(tag.reason);
        Insync.current().log.offer(Name.CONTROLLER, Level.INFO, () -> "[Partition " + topicId + "-" + partitionId + "] Leader "
            + partition.leader + " steps down in leader epoch " + partition.leaderEpoch + " (reason "
            + BrokerMetrics.word(tag.reason) + "): broker " + successor + " becomes the leader, the new ISR is " + isr);
        return new LeadershipTransfer(successor, isr);
    }
}
