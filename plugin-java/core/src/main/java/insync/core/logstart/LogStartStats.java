package insync.core.logstart;

import insync.core.Insync;
import insync.core.events.EventLog;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Applies the fixes that are on for the hooks, and counts how often they corrected a log start offset since the JVM's start. */
public final class LogStartStats {
    /** Log start offsets of this follower that were bounded. */
    public final LongAdder bounded = new LongAdder();
    /** Responses of this leader that were bounded to the state at the read. */
    public final LongAdder snapshots = new LongAdder();
    private volatile boolean boundIsOn;
    private volatile boolean snapshotIsOn;

    /** Turns on fixes, beside those that are on. */
    public void turnOn(boolean bound, boolean snapshot) {
        boundIsOn |= bound;
        snapshotIsOn |= snapshot;
    }

    /** Returns whether a leader answers a fetch with the state at its read. */
    public boolean answersAsRead() {
        return snapshotIsOn && !Insync.isDisabled();
    }

    /** Returns the log start offset to which a follower may move; see {@link LogStartRule#bounded}. */
    public long bounded(long leaders, long ownEnd, long ownHighWatermark) {
        long start = boundIsOn && !Insync.isDisabled() ? LogStartRule.bounded(leaders, ownEnd, ownHighWatermark) : leaders;
        if (start != leaders) {
            bounded.increment();
        }
        return start;
    }

    /** Returns the log start offset for a leader's response; see {@link LogStartRule#ofAnswer}. */
    public long ofAnswer(long logStart, long highWatermark) {
        long start = answersAsRead() ? LogStartRule.ofAnswer(logStart, highWatermark) : logStart;
        if (start != logStart) {
            snapshots.increment();
        }
        return start;
    }

    /** Returns both counts by their names on the bridge. */
    public Map<String, Object> toMap() {
        return EventLog.fields("bounded", bounded.sum(), "snapshots", snapshots.sum());
    }
}
