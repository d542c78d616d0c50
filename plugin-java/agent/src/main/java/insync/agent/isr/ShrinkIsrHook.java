package insync.agent.isr;

import insync.agent.weave.Hook;
import java.util.Set;
import kafka.cluster.Partition;
import net.bytebuddy.asm.Advice;

/** The leader drops followers from the ISR: an event with what it knew of each. */
public final class ShrinkIsrHook extends Hook {

    public ShrinkIsrHook() {
        super("kafka.cluster.Partition", "prepareIsrShrink", Shrink.class);
    }

    static final class Shrink {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static Set<Integer> enter(@Advice.This Partition partition) {
            return PartitionEvents.isr(partition);
        }

        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This Partition partition, @Advice.FieldValue("localBrokerId") int brokerId,
                         @Advice.Enter Set<Integer> before,
                         @Advice.Argument(1) scala.collection.immutable.Set<Object> outOfSync) {
            PartitionEvents.shrink(partition, brokerId, before, outOfSync);
        }
    }
}
