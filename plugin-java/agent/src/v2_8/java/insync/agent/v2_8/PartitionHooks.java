package insync.agent.v2_8;

import insync.agent.isr.PartitionEvents;
import insync.agent.isr.PartitionState;
import insync.agent.weave.TypeHooks;
import java.util.Set;
import kafka.cluster.Partition;
import net.bytebuddy.asm.Advice;

/** Weaves Kafka's Partition; 2.8 calls the methods that change the ISR even while another change is under way. */
final class PartitionHooks extends TypeHooks {

    PartitionHooks() {
        super(insync.agent.isr.PartitionHooks.TYPE);
        on("isFollowerOutOfSync", insync.agent.isr.PartitionHooks.IsFollowerOutOfSync.class);
        on("makeLeader", insync.agent.isr.PartitionHooks.MakeLeader.class);
        on("makeFollower", insync.agent.isr.PartitionHooks.MakeFollower.class);
        on("shrinkIsr", ShrinkIsr.class);
        on("expandIsr", ExpandIsr.class);
    }

    /** Emits an event with the state of each follower that the leader removes from the ISR. */
    static final class ShrinkIsr {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static Set<Integer> enter(@Advice.This Partition partition) {
            return !PartitionEvents.areOn() || partition.isrState().isInflight() ? null : PartitionState.isr(partition);
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

    /** Emits an event with the state of the follower that the leader adds to the ISR. */
    static final class ExpandIsr {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static Set<Integer> enter(@Advice.This Partition partition) {
            return !PartitionEvents.areOn() || partition.isrState().isInflight() ? null : PartitionState.isr(partition);
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
