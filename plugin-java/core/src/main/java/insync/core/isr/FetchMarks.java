package insync.core.isr;

import insync.core.Clock;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * Collects the marks of one follower's fetch, one per partition. One thread builds it before the read; the thread
 * that runs the fetch's response callback completes it, exactly once.
 *
 * <p>It reads the clock and updates the counters once per fetch, not once per partition.
 */
public final class FetchMarks {
    private static final AtomicIntegerFieldUpdater<FetchMarks> COMPLETED =
        AtomicIntegerFieldUpdater.newUpdater(FetchMarks.class, "completed");

    private final Clock clock;
    private final Stats stats;
    private final long sinceNanos;
    private final long waitNanos;
    private volatile int completed;
    private Mark head;
    private int count;

    /**
     * Begins a fetch.
     *
     * @param scope scope "read" of the broker
     * @param maxWaitMs how long the fetch may wait for records, as its follower asks for
     */
    public FetchMarks(Scope scope, long maxWaitMs) {
        this.clock = scope.clock;
        this.stats = scope.stats;
        this.sinceNanos = clock.nanos();
        this.waitNanos = Math.max(0, maxWaitMs) * 1_000_000L;
    }

    /**
     * Marks one partition of the fetch, if the rule says it is pending.
     *
     * @param follower the follower's pending fetches of that partition
     * @param fetchOffset offset the follower asks for
     */
    public void mark(ReadScopeTracker follower, long fetchOffset) {
        Mark mark = follower.mark(fetchOffset, sinceNanos, waitNanos);
        if (mark != null) {
            mark.nextInFetch = head;
            head = mark;
            count++;
        }
    }

    public void marked() {
        stats.marked.add(count);
    }

    public boolean isEmpty() {
        return head == null;
    }

    /** Removes every mark, because the fetch's connection is lost. Later calls, and those of {@link #complete}, do nothing. */
    public void abandon() {
        if (!COMPLETED.compareAndSet(this, 0, 1)) {
            return;
        }
        Mark mark = head;
        head = null;
        while (mark != null) {
            Mark next = mark.nextInFetch;
            mark.owner.abandon(mark);
            mark = next;
        }
    }

    /** Releases every mark. Later calls do nothing. */
    public void complete() {
        if (!COMPLETED.compareAndSet(this, 0, 1)) {
            return;
        }
        long nowMs = clock.millis();
        long pendingNanos = clock.nanos() - sinceNanos;
        int released = 0;
        Mark mark = head;
        head = null;
        while (mark != null) {
            Mark next = mark.nextInFetch;
            released += mark.owner.complete(mark, nowMs, pendingNanos) ? 1 : 0;
            mark = next;
        }
        stats.released(released, pendingNanos);
    }
}
