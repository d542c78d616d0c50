package insync.lab.lagpolicy;

import insync.agent.weave.Hook;
import kafka.cluster.Partition;
import net.bytebuddy.asm.Advice;

/** Weaves Kafka's Partition for brokers with {@code replica.lag.policy=messages:N}. */
public final class PartitionHooks {

    private PartitionHooks() { }

    /** Returns the hook that replaces the answer of Kafka's rule. */
    public static Hook lagByMessages() {
        return new Hook(insync.agent.isr.PartitionHooks.TYPE, "isFollowerOutOfSync", IsFollowerOutOfSync.class);
    }

    /** Decides by messages whether a member of the ISR is out of sync. */
    static final class IsFollowerOutOfSync {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This Partition partition, @Advice.FieldValue("localBrokerId") int brokerId,
                         @Advice.Argument(0) int replicaId, @Advice.Argument(1) long leaderLeo,
                         @Advice.Argument(2) long nowMs, @Advice.Argument(3) long maxLagMs,
                         @Advice.Return(readOnly = false) boolean outOfSync) {
            outOfSync = LagPolicy.isOutOfSync(partition, brokerId, replicaId, leaderLeo, nowMs, maxLagMs, outOfSync);
        }
    }
}
