package insync.agent.v3_6;

import insync.agent.stepdown.controller.LeadershipTransfer;
import java.util.List;
import java.util.function.IntPredicate;
import net.bytebuddy.asm.Advice;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AlterPartitionRequestData.BrokerState;
import org.apache.kafka.metadata.PartitionRegistration;

/** Weaves the controller's PartitionChangeBuilder, which in 3.6 does not know the topic's min.insync.replicas. */
final class PartitionChangeBuilderHooks extends insync.agent.stepdown.controller.PartitionChangeBuilderHooks {
    /** At least one replica remains; the leader has compared the rest with its topic's value before it asked. */
    static final int CHECKED_BY_LEADER = 1;

    PartitionChangeBuilderHooks() {
        super(SetTargetIsr.class);
    }

    /** Notes whether a leader's AlterPartition, which has passed Kafka's validation, requests a step-down. */
    static final class SetTargetIsr {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.FieldValue("partition") PartitionRegistration partition,
                         @Advice.FieldValue("topicId") Uuid topicId, @Advice.FieldValue("partitionId") int partitionId,
                         @Advice.FieldValue("isAcceptableLeader") IntPredicate mayLead,
                         @Advice.Argument(0) List<BrokerState> asked,
                         @Advice.FieldValue(value = TRANSFER, readOnly = false) LeadershipTransfer transfer,
                         @Advice.FieldValue(value = "targetIsr", readOnly = false) List<Integer> targetIsr) {
            transfer = LeadershipTransfer.asked(partition, topicId, partitionId, mayLead, CHECKED_BY_LEADER, asked);
            if (transfer != null) {
                targetIsr = transfer.isr;
            }
        }
    }
}
