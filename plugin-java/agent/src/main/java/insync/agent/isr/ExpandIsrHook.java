package insync.agent.isr;

import insync.agent.weave.Hook;
import java.util.Set;
import kafka.cluster.Partition;
import net.bytebuddy.asm.Advice;

/** The leader takes a follower into the ISR: an event with what it knew of it. */
public final class ExpandIsrHook extends Hook {

    public ExpandIsrHook() {
        super("kafka.cluster.Partition", "prepareIsrExpand", Expand.class);
    }

    static final class Expand {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static Set<Integer> enter(@Advice.This Partition partition) {
            return PartitionEvents.isr(partition);
        }

        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This Partition partition, @Advice.Enter Set<Integer> before,
                         @Advice.Argument(1) int joining) {
            PartitionEvents.expand(partition, before, joining);
        }
    }
}
