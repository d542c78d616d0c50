package insync.core.isr;

import net.bytebuddy.asm.Advice;

/** Mutants of when a pending fetch is released. */
public final class MarkMutants {

    private MarkMutants() { }

    /** Scope "read": releases every mark when the fetch begins. */
    public static final class CompleteAtOnce {
        @Advice.OnMethodExit
        static void exit(@Advice.This FetchMarks marks) {
            marks.complete();
        }
    }

    /** Scope "request": releases a fetch when it arrives. */
    public static final class SentAtOnce {
        @Advice.OnMethodExit
        static void exit(@Advice.This FetcherConnection connection, @Advice.Argument(0) Object fetch) {
            connection.sent(fetch);
        }
    }

    /** Scope "read": releases the fetch before again when its mark's object is the mark of the next one. */
    public static final class CompleteAgain {
        @Advice.OnMethodEnter
        static boolean enter(@Advice.FieldValue("free") Mark free) {
            return free != null;
        }

        @Advice.OnMethodExit
        static void exit(@Advice.This ReadScopeTracker tracker, @Advice.Enter boolean reused, @Advice.Return Mark mark) {
            if (reused && mark != null) {
                tracker.complete(mark, 0, 0);
            }
        }
    }

    /** Scope "request": releases the fetch before again when the next one has arrived. */
    public static final class SentAgain {
        @Advice.OnMethodEnter
        static boolean enter(@Advice.FieldValue("clockOfRequest") FetcherClock before) {
            return before != null;
        }

        @Advice.OnMethodExit
        static void exit(@Advice.This FetcherConnection connection, @Advice.Enter boolean again,
                         @Advice.Argument(0) Object fetch) {
            if (again) {
                connection.sent(fetch);
            }
        }
    }

    /** Scope "read": a mark of any leader epoch keeps its follower in sync. */
    public static final class AnyEpoch {
        @Advice.OnMethodExit
        static void exit(@Advice.FieldValue("scope") Scope scope, @Advice.FieldValue("standing") Mark standing,
                         @Advice.Argument(0) long limitNanos, @Advice.Return(readOnly = false) boolean stands) {
            for (Mark mark = standing; mark != null; mark = mark.nextOfFollower) {
                stands |= scope.clock.nanos() - mark.sinceNanos <= limitNanos;
            }
        }
    }

    /** Scope "read": the last partition of a fetch that has several keeps its mark. */
    public static final class AllButTheLast {
        @Advice.OnMethodEnter
        static void enter(@Advice.FieldValue(value = "head", readOnly = false) Mark head) {
            // The head is the partition that was marked last.
            if (head != null && head.nextInFetch != null) {
                head = head.nextInFetch;
            }
        }
    }
}
