package insync.agent.v2_8;

import insync.agent.isr.PartitionEvents;
import insync.agent.weave.Hook;
import java.util.Set;
import kafka.cluster.Partition;
import net.bytebuddy.asm.Advice;

/** The leader drops followers from the ISR, unless a change is under way: an event with what it knew of each. */
final class ShrinkIsrHook extends Hook {

    ShrinkIsrHook() {
        super("kafka.cluster.Partition", "shrinkIsr", Shrink.class);
    }

    static final class Shrink {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static Set<Integer> enter(@Advice.This Partition partition) {
            return partition.isrState().isInflight() ? null : PartitionEvents.isr(partition);
        }

        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This Partition partition, @Advice.FieldValue("localBrokerId") int brokerId,
                         @Advice.Enter Set<Integer> before,
                         @Advice.Argument(0) scala.collection.immutable.Set<Object> outOfSync) {
            if (before != null) {
                PartitionEvents.shrink(partition, brokerId, before, outOfSync);
            }
        }
    }
}
