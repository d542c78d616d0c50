package insync.agent.v2_8;

import insync.agent.isr.FollowerState;
import insync.agent.weave.Hook;
import insync.core.FollowerFetches;
import net.bytebuddy.asm.Advice;

/**
 * The leader is elected or re-elected in a new epoch: what was pending in the old one goes before Kafka resets the
 * follower's state. Members of the ISR are given the time of the election as caught up, others 0.
 */
final class ResetReplicaHook extends Hook {

    ResetReplicaHook() {
        super("kafka.cluster.Replica", "resetLastCaughtUpTime", Reset.class);
    }

    static final class Reset {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.FieldValue(FollowerState.FETCHES) FollowerFetches fetches,
                          @Advice.FieldValue(value = FollowerState.ELECTED, readOnly = false) long electedMs,
                          @Advice.Argument(0) long leaderLeo, @Advice.Argument(1) long nowMs,
                          @Advice.Argument(2) long caughtUpMs) {
            electedMs = caughtUpMs;
            if (fetches != null) {
                fetches.elected(nowMs, leaderLeo, false, caughtUpMs > 0);
            }
        }
    }
}
