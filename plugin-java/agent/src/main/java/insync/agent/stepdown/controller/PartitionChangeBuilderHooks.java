package insync.agent.stepdown.controller;

import insync.agent.weave.TypeHooks;
import java.util.List;
import java.util.function.IntPredicate;
import net.bytebuddy.asm.Advice;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AlterPartitionRequestData.BrokerState;
import org.apache.kafka.metadata.PartitionRegistration;

/** Weaves the controller's PartitionChangeBuilder, to pass a leader's request to step down to the election. */
public class PartitionChangeBuilderHooks extends TypeHooks {
    protected static final String TRANSFER = "insync$transfer";

    public PartitionChangeBuilderHooks() {
        this(SetTargetIsr.class);
    }

    /** @param setTargetIsr notes whether a leader's AlterPartition requests a step-down */
    protected PartitionChangeBuilderHooks(Class<?> setTargetIsr) {
        super("org.apache.kafka.controller.PartitionChangeBuilder");
        on("setTargetIsrWithBrokerStates", setTargetIsr);
        on("isValidNewLeader", IsValidNewLeader.class);
        field(TRANSFER, LeadershipTransfer.class);
    }

    /** Notes whether a leader's AlterPartition, which has passed Kafka's validation, requests a step-down. */
    static final class SetTargetIsr {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.FieldValue("partition") PartitionRegistration partition,
                         @Advice.FieldValue("topicId") Uuid topicId, @Advice.FieldValue("partitionId") int partitionId,
                         @Advice.FieldValue("isAcceptableLeader") IntPredicate mayLead,
                         @Advice.FieldValue("minISR") int minIsr, @Advice.Argument(0) List<BrokerState> asked,
                         @Advice.FieldValue(value = TRANSFER, readOnly = false) LeadershipTransfer transfer,
                         @Advice.FieldValue(value = "targetIsr", readOnly = false) List<Integer> targetIsr) {
            transfer = LeadershipTransfer.asked(partition, topicId, partitionId, mayLead, minIsr, asked);
            if (transfer != null) {
                targetIsr = transfer.isr;
            }
        }
    }

    /**
     * Decides whether a candidate may lead. Kafka checks each in turn, the present leader first. If the leader requested a
     * step-down, only its successor may lead; during the cool-down automatic elections do not elect the ex-leader.
     */
    static final class IsValidNewLeader {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.Argument(0) int candidate, @Advice.FieldValue(TRANSFER) LeadershipTransfer transfer,
                         @Advice.FieldValue("partition") PartitionRegistration partition,
                         @Advice.FieldValue("topicId") Uuid topicId, @Advice.FieldValue("partitionId") int partitionId,
                         @Advice.FieldValue("isAcceptableLeader") IntPredicate mayLead,
                         @Advice.Return(readOnly = false) boolean valid) {
            if (transfer != null) {
                valid = candidate == transfer.successor;
            } else if (valid && AutomaticElections.automatic()
                    && AutomaticElections.comesBackTooEarly(partition, topicId, partitionId, mayLead, candidate)) {
                valid = false;
            }
        }
    }
}
