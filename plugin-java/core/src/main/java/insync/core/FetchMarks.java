package insync.core;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The marks of one follower's fetch over all its partitions. Built by one thread before the read;
 * completed by whichever thread runs the fetch's response callback, exactly once.
 */
public final class FetchMarks {
    private final AtomicBoolean completed = new AtomicBoolean();
    private Mark head;

    /**
     * Marks one partition of the fetch, if the rule says it is pending.
     *
     * @param follower the follower's pending fetches of that partition
     * @param fetchOffset offset the follower asks for
     */
    public void mark(MarkedFetches follower, long fetchOffset) {
        Mark mark = follower.mark(fetchOffset);
        if (mark != null) {
            mark.nextInFetch = head;
            head = mark;
        }
    }

    public boolean isEmpty() {
        return head == null;
    }

    /** Releases every mark. Later calls do nothing. */
    public void complete() {
        if (!completed.compareAndSet(false, true)) {
            return;
        }
        Mark mark = head;
        head = null;
        while (mark != null) {
            Mark next = mark.nextInFetch;
            mark.owner.complete(mark);
            mark = next;
        }
    }
}
