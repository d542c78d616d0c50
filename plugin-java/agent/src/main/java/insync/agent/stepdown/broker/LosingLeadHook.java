package insync.agent.stepdown.broker;

import insync.agent.weave.Hook;
import kafka.cluster.Partition;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.modifier.FieldManifestation;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.FieldAccessor;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/**
 * Another broker leads the partition now, and this one is about to take leaderIsrUpdateLock to become its follower, for
 * which it waits as long as a read stalls. Whoever would queue behind it is told at once.
 */
final class LosingLeadHook extends Hook {
    static final String FIELD = "insync$over";

    LosingLeadHook() {
        super("kafka.cluster.Partition", "makeFollower", Losing.class);
    }

    @Override
    public DynamicType.Builder<?> shape(DynamicType.Builder<?> builder) {
        return builder
            .defineField(FIELD, int.class, Visibility.PRIVATE, FieldManifestation.VOLATILE)
            .implement(PartitionCarrier.class)
            .defineMethod(FIELD, int.class, Visibility.PUBLIC).intercept(FieldAccessor.ofField(FIELD))
            .defineMethod(FIELD, void.class, Visibility.PUBLIC).withParameters(int.class)
            .intercept(FieldAccessor.ofField(FIELD));
    }

    static final class Losing {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.This Partition partition, @Advice.FieldValue("localBrokerId") int brokerId,
                          @Advice.FieldValue("leaderEpoch") int leaderEpoch,
                          @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object newState) {
            if (StepDowns.active()) {
                StepDowns.losing(partition, brokerId, leaderEpoch, newState);
            }
        }
    }
}
