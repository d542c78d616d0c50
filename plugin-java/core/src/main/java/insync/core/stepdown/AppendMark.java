package insync.core.stepdown;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Marks the append to a leader's log that one thread makes: when it began, and where it is. Only that thread writes the mark
 * and the watch reads it, without a lock. A thread uses its mark again for each append, so an append allocates nothing.
 */
public final class AppendMark {
    private static final long NONE = Long.MIN_VALUE;

    private final AtomicLong since = new AtomicLong(NONE);
    private final AtomicInteger broker = new AtomicInteger();
    private final AtomicReference<Object> partition = new AtomicReference<>();
    private final AtomicReference<AppendSite> site = new AtomicReference<>();
    private final AtomicReference<Object> request = new AtomicReference<>();

    AppendMark() { }

    /**
     * Notes which request this thread serves.
     *
     * @param served null when it is served
     */
    public void serve(Object served) {
        request.setRelease(served);
    }

    /**
     * Notes that this thread begins to append.
     *
     * @param appendedTo the broker's partition
     * @param brokerId the broker's id
     * @param nanos by the broker's monotonic clock
     */
    public void begin(Object appendedTo, int brokerId, long nanos) {
        broker.setRelease(brokerId);
        partition.setRelease(appendedTo);
        site.setRelease(AppendSite.LOCK);
        since.setRelease(nanos);
    }

    /** Notes that the append has ended, with its records in the log or with an error. */
    public void end() {
        since.setRelease(NONE);
        partition.setRelease(null);
    }

    /** Notes that the append comes to a site, if this thread makes one. */
    public void enter(AppendSite at) {
        if (since.getPlain() != NONE) {
            site.setRelease(at);
        }
    }

    /** Returns the append of this thread, or null if it makes none to a partition of that broker. */
    PendingAppend pending(int brokerId) {
        long begun = since.get();
        if (begun == NONE || broker.get() != brokerId) {
            return null;
        }
        PendingAppend seen = new PendingAppend(partition.get(), begun, site.get(), request.get());
        // The time is written last at the begin and first at the end: the same time twice belongs to what was read between.
        return since.get() == begun ? seen : null;
    }
}
