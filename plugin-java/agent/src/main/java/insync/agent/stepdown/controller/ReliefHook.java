package insync.agent.stepdown.controller;

import insync.agent.weave.Hook;
import java.util.List;
import java.util.function.IntPredicate;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.DynamicType;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AlterPartitionRequestData.BrokerState;
import org.apache.kafka.metadata.PartitionRegistration;

/**
 * On the controller: a leader's AlterPartition has passed Kafka's validation, and the change is about to be built. If it
 * asks to be relieved, the builder carries that to the election.
 */
public final class ReliefHook extends Hook {
    static final String FIELD = "insync$relief";

    public ReliefHook() {
        super("org.apache.kafka.controller.PartitionChangeBuilder", "setTargetIsrWithBrokerStates", Asked.class);
    }

    @Override
    public DynamicType.Builder<?> shape(DynamicType.Builder<?> builder) {
        return builder.defineField(FIELD, Relief.class, Visibility.PRIVATE);
    }

    static final class Asked {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.FieldValue("partition") PartitionRegistration partition,
                         @Advice.FieldValue("topicId") Uuid topicId, @Advice.FieldValue("partitionId") int partitionId,
                         @Advice.FieldValue("isAcceptableLeader") IntPredicate mayLead,
                         @Advice.FieldValue("minISR") int minIsr, @Advice.Argument(0) List<BrokerState> asked,
                         @Advice.FieldValue(value = FIELD, readOnly = false) Relief relief,
                         @Advice.FieldValue(value = "targetIsr", readOnly = false) List<Integer> targetIsr) {
            relief = Relief.asked(partition, topicId, partitionId, mayLead, minIsr, asked);
            if (relief != null) {
                targetIsr = relief.isr();
            }
        }
    }
}
