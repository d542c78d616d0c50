package insync.agent.isr;

import insync.agent.weave.Hook;
import insync.core.FollowerFetches;
import net.bytebuddy.asm.Advice;

/**
 * The leader is elected or re-elected in a new epoch: what was pending in the old one goes before Kafka resets
 * the follower's state, so that no fetch of the old epoch can speak for the new state.
 */
public final class ResetReplicaStateHook extends Hook {

    /** @param replica the class of a remote replica in this version of Kafka */
    public ResetReplicaStateHook(String replica) {
        super(replica, "resetReplicaState", Reset.class);
    }

    static final class Reset {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.FieldValue(FollowerState.FETCHES) FollowerFetches fetches,
                          @Advice.FieldValue(value = FollowerState.ELECTED, readOnly = false) long electedMs,
                          @Advice.Argument(0) long nowMs, @Advice.Argument(1) long leaderLeo,
                          @Advice.Argument(2) boolean newLeader, @Advice.Argument(3) boolean inSync) {
            electedMs = inSync ? nowMs : 0L;
            if (fetches != null) {
                fetches.elected(nowMs, leaderLeo, newLeader, inSync);
            }
        }
    }
}
