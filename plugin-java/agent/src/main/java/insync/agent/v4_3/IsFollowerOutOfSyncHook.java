package insync.agent.v4_3;

import insync.agent.weave.Hook;
import kafka.cluster.Partition;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.matcher.ElementMatchers;

/**
 * The one question that a mark answers: is this member of the ISR out of sync? Only a yes of Kafka's own
 * rule is looked at again; nothing else in the broker asks here.
 */
final class IsFollowerOutOfSyncHook extends Hook {

    IsFollowerOutOfSyncHook() {
        super("kafka.cluster.Partition", "isFollowerOutOfSync");
    }

    @Override
    public ElementMatcher<MethodDescription> methods() {
        return ElementMatchers.named("isFollowerOutOfSync");
    }

    @Override
    public Class<?> advice() {
        return Hold.class;
    }

    static final class Hold {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This Partition partition, @Advice.Argument(0) int replicaId,
                         @Advice.Return(readOnly = false) boolean outOfSync) {
            if (outOfSync && PendingReads.holdsInSync(partition, replicaId)) {
                outOfSync = false;
            }
        }
    }
}
