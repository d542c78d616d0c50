package insync.agent.v1_1;

import insync.agent.weave.Hook;
import kafka.cluster.Replica;
import net.bytebuddy.asm.Advice;

/** KAFKA-7104's first fix: a follower's log start offset goes no further than what the follower holds. */
final class BoundHook extends Hook {

    BoundHook() {
        super("kafka.cluster.Replica", "maybeIncrementLogStartOffset", Bound.class);
    }

    static final class Bound {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.This Replica replica, @Advice.Argument(value = 0, readOnly = false) long newStart) {
            newStart = FollowerLog.bounded(replica, newStart);
        }
    }
}
