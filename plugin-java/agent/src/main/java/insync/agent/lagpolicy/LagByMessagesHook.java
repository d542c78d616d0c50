package insync.agent.lagpolicy;

import insync.agent.weave.Hook;
import kafka.cluster.Partition;
import net.bytebuddy.asm.Advice;

/**
 * Is this member of the ISR out of sync? Woven only where a broker asks for {@code replica.lag.policy=messages:N}, and then
 * its answer takes the place of Kafka's.
 */
public final class LagByMessagesHook extends Hook {

    public LagByMessagesHook() {
        super("kafka.cluster.Partition", "isFollowerOutOfSync", Judge.class);
    }

    static final class Judge {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This Partition partition, @Advice.FieldValue("localBrokerId") int brokerId,
                         @Advice.Argument(0) int replicaId, @Advice.Argument(1) long leaderLeo,
                         @Advice.Argument(2) long nowMs, @Advice.Argument(3) long maxLagMs,
                         @Advice.Return(readOnly = false) boolean outOfSync) {
            outOfSync = LagPolicies.isOutOfSync(partition, brokerId, replicaId, leaderLeo, nowMs, maxLagMs, outOfSync);
        }
    }
}
