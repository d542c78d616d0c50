package insync.agent.v2_8;

import insync.core.isr.FollowerTracker;
import kafka.server.LogOffsetMetadata;
import net.bytebuddy.asm.Advice;

/** Weaves Kafka's Replica, which an election resets in two steps in 2.8. */
final class ReplicaHooks extends insync.agent.isr.ReplicaHooks {

    ReplicaHooks() {
        super("kafka.cluster.Replica", "updateFetchState", UpdateFetchState.class, "resetLastCaughtUpTime",
            ResetLastCaughtUpTime.class);
    }

    /**
     * Passes a fetch that Kafka records to the tracker. An offset below 0 is not a fetch, but the second step of a new
     * leader's election; the first step is {@link ResetLastCaughtUpTime}.
     */
    static final class UpdateFetchState {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.FieldValue(FETCHES) FollowerTracker fetches, @Advice.FieldValue(ELECTED) long electedMs,
                         @Advice.Argument(0) LogOffsetMetadata fetchOffset, @Advice.Argument(3) long leaderLeo) {
            if (fetches == null) {
                return;
            }
            if (fetchOffset.messageOffset() >= 0) {
                fetches.fetched(fetchOffset.messageOffset(), leaderLeo);
            } else {
                fetches.elected(electedMs, leaderLeo, true, electedMs > 0);
            }
        }
    }

    /**
     * Clears the tracker when the leader is elected or re-elected. Kafka sets the caught-up time of ISR members to the time
     * of the election, and of others to 0.
     */
    static final class ResetLastCaughtUpTime {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.FieldValue(FETCHES) FollowerTracker fetches,
                          @Advice.FieldValue(value = ELECTED, readOnly = false) long electedMs,
                          @Advice.Argument(0) long leaderLeo, @Advice.Argument(1) long nowMs,
                          @Advice.Argument(2) long caughtUpMs) {
            electedMs = caughtUpMs;
            if (fetches != null) {
                fetches.elected(nowMs, leaderLeo, false, caughtUpMs > 0);
            }
        }
    }
}
