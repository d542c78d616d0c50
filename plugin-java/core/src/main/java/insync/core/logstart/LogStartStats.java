package insync.core.logstart;

import insync.core.events.EventLog;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts how often a log start offset was corrected in this broker since its start. */
public final class LogStartStats {
    private final LongAdder bounded = new LongAdder();
    private final LongAdder snapshots = new LongAdder();

    /** Counts a follower whose log start offset was bounded below the one in the leader's response. */
    public void bounded() {
        bounded.increment();
    }

    /** Counts a leader's response that was bounded to the state at the read. */
    public void snapshot() {
        snapshots.increment();
    }

    /** Returns how many log start offsets of this follower were bounded. */
    public long boundedTotal() {
        return bounded.sum();
    }

    /** Returns how many responses of this leader were bounded. */
    public long snapshotsTotal() {
        return snapshots.sum();
    }

    /** Returns both counts by their names on the bridge. */
    public Map<String, Object> toMap() {
        return EventLog.fields("bounded", boundedTotal(), "snapshots", snapshotsTotal());
    }
}
