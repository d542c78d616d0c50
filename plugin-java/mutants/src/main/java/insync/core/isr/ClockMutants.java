package insync.core.isr;

import net.bytebuddy.asm.Advice;

/** Mutants that charge a follower for other time than its own, or not for its own. */
public final class ClockMutants {

    private ClockMutants() { }

    /** Scope "read": a completed fetch makes the follower caught up as of its arrival. */
    public static final class CaughtUpAtArrival {
        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 1, readOnly = false) long nowMs, @Advice.Argument(2) long pendingNanos) {
            nowMs -= pendingNanos / 1_000_000L;
        }
    }

    /** Scope "request": the follower's clock runs while the leader processes its fetch. */
    public static final class RunFromArrival {
        @Advice.OnMethodExit
        static void exit(@Advice.FieldValue("scope") RequestScope scope, @Advice.FieldValue("clock") FetcherClock clock,
                         @Advice.FieldValue("next") FetcherClock next) {
            clock.run(scope.clock.nanos());
            if (next != null) {
                next.run(scope.clock.nanos());
            }
        }
    }

    /** Scope "request": a pending fetch does not protect the partitions that it names. */
    public static final class NotNamed {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) long offset) {
            offset = FetchBody.NOT_NAMED;
        }
    }

    /** Scope "request": a fetch at the leader's previous end makes the follower caught up as of itself, not of the one before. */
    public static final class CaughtUpAtThisFetch {
        @Advice.OnMethodExit
        static void exit(@Advice.Argument(0) long fetchOffset, @Advice.Argument(1) long leaderLeo,
                         @Advice.FieldValue("previousLeaderLeo") long previousLeaderLeo,
                         @Advice.FieldValue("lastFetch") long thisFetch, @Advice.FieldValue("lastFetchAt") long at,
                         @Advice.FieldValue(value = "caughtUp", readOnly = false) long caughtUp,
                         @Advice.FieldValue(value = "caughtUpAt", readOnly = false) long caughtUpAt) {
            if (FetchRule.isCaughtUp(fetchOffset, leaderLeo, previousLeaderLeo)) {
                caughtUp = thisFetch;
                caughtUpAt = at;
            }
        }
    }

    /** Scope "request": a follower that does not read its responses is not charged. */
    public static final class SocketNeverFull {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return true;
        }

        @Advice.OnMethodExit
        static void exit(@Advice.FieldValue("request") Object request, @Advice.Return(readOnly = false) boolean ofFetch) {
            ofFetch = request != null;
        }
    }

    /** Scope "request": a partition that a fetch session forgets keeps the session's clock. */
    public static final class NoNewMembers {
        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 2, readOnly = false) boolean newMembers) {
            newMembers = false;
        }
    }
}
