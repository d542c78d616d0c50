package insync.core;

import insync.core.events.EventLog;
import insync.core.log.BrokerLog;
import insync.core.log.BrokerLog.Level;
import insync.core.log.BrokerLog.Name;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Records exceptions in our own code: they are caught, counted, and printed and logged once per kind, and never thrown into the
 * broker. A run with any of them is invalid, so a verdict on a run reads {@link #count()}.
 */
public final class Failures {
    private static final String HOOK = "hook";
    /** The most kinds that are printed. A kind is a place and a class of exception. */
    private static final int MOST_KINDS = 100;

    /** Unlike a LongAdder it allocates nothing, which a lack of memory would prevent. */
    private final AtomicLong count = new AtomicLong();
    private final Set<String> kinds = ConcurrentHashMap.newKeySet();
    private final EventLog events;
    private final BrokerLog log;
    private volatile String last = "";

    public Failures(EventLog events, BrokerLog log) {
        this.events = events;
        this.log = log;
    }

    /**
     * Records one exception. Never throws: a failure that cannot be printed is still counted.
     *
     * @param where the hook or thread it came from
     * @param failure what was thrown
     */
    public void record(String where, Throwable failure) {
        count.incrementAndGet();
        try {
            last = where + ": " + failure;
            if (kinds.size() < MOST_KINDS && kinds.add(where + failure.getClass().getName())) {
                String said = "error in " + last;
                System.err.println("[insync] " + said);
                log.offer(Name.AGENT, Level.ERROR, () -> said);
                events.emit("error", EventLog.fields("where", where, "error", String.valueOf(failure)));
            }
        } catch (RuntimeException | Error broken) {
            // The failure is counted. The caller is a hook in the broker, and what is wrong may be a lack of memory.
            return;
        }
    }

    /** Notes what else makes a run invalid, although no exception was thrown. */
    void record(String what) {
        count.incrementAndGet();
        last = what;
        System.err.println("[insync] " + what);
        log.offer(Name.AGENT, Level.WARN, () -> what);
        events.emit("error", EventLog.fields("where", "agent", "error", what));
    }

    /** Records an exception of a woven hook; the innermost frame of our code identifies the hook. Never throws. */
    void record(Throwable failure) {
        record(place(failure), failure);
    }

    private static String place(Throwable failure) {
        try {
            for (StackTraceElement frame : failure.getStackTrace()) {
                if (frame.getClassName().startsWith("insync.")) {
                    return frame.toString();
                }
            }
        } catch (RuntimeException | Error broken) {
            return HOOK;
        }
        return HOOK;
    }

    public long count() {
        return count.get();
    }

    /** Returns the newest exception as text, or an empty string. */
    public String last() {
        return last;
    }
}
