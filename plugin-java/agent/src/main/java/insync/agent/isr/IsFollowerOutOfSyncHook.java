package insync.agent.isr;

import insync.agent.weave.Hook;
import kafka.cluster.Partition;
import net.bytebuddy.asm.Advice;

/**
 * The one question that the plugin answers: is this member of the ISR out of sync? Only a yes of Kafka's own
 * rule is looked at again; nothing else in the broker asks here.
 */
public final class IsFollowerOutOfSyncHook extends Hook {

    public IsFollowerOutOfSyncHook() {
        super("kafka.cluster.Partition", "isFollowerOutOfSync", Hold.class);
    }

    static final class Hold {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This Partition partition, @Advice.FieldValue("localBrokerId") int brokerId,
                         @Advice.Argument(0) int replicaId, @Advice.Argument(2) long nowMs,
                         @Advice.Argument(3) long maxLagMs, @Advice.Return(readOnly = false) boolean outOfSync) {
            if (outOfSync && Followers.holdsInSync(partition, brokerId, replicaId, nowMs, maxLagMs)) {
                outOfSync = false;
            }
        }
    }
}
