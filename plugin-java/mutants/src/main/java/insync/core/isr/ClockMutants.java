package insync.core.isr;

import net.bytebuddy.asm.Advice;

/** Mutants that charge a follower for the time since its fetch arrived. */
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
            clock.run(scope.nanos());
            if (next != null) {
                next.run(scope.nanos());
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
}
