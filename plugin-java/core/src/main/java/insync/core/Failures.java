package insync.core;

import insync.core.events.EventLog;
import java.util.concurrent.atomic.LongAdder;

/**
 * Records exceptions in our own code: they are caught, counted and printed once per kind, and never thrown into the
 * broker. A run with any of them is invalid, so a verdict on a run reads {@link #count()}.
 */
public final class Failures {
    private final LongAdder count = new LongAdder();
    private final EventLog events;
    private volatile String last = "";

    public Failures(EventLog events) {
        this.events = events;
    }

    /**
     * Records one exception.
     *
     * @param where the hook or thread it came from
     * @param failure what was thrown
     */
    public void record(String where, Throwable failure) {
        count.increment();
        String what = where + ": " + failure;
        if (!what.equals(last)) {
            last = what;
            System.err.println("[insync] error in " + what);
            events.emit("error", EventLog.fields("where", where, "error", String.valueOf(failure)));
        }
    }

    public long count() {
        return count.sum();
    }

    /** Returns the newest exception as text, or an empty string. */
    public String last() {
        return last;
    }
}
