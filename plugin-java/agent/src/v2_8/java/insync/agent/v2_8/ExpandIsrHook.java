package insync.agent.v2_8;

import insync.agent.isr.PartitionEvents;
import insync.agent.weave.Hook;
import java.util.Set;
import kafka.cluster.Partition;
import net.bytebuddy.asm.Advice;

/** The leader takes a follower into the ISR, unless a change is under way: an event with what it knew of it. */
final class ExpandIsrHook extends Hook {

    ExpandIsrHook() {
        super("kafka.cluster.Partition", "expandIsr", Expand.class);
    }

    static final class Expand {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static Set<Integer> enter(@Advice.This Partition partition) {
            return partition.isrState().isInflight() ? null : PartitionEvents.isr(partition);
        }

        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This Partition partition, @Advice.Enter Set<Integer> before,
                         @Advice.Argument(0) int joining) {
            if (before != null) {
                PartitionEvents.expand(partition, before, joining);
            }
        }
    }
}
