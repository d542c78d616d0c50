package insync.core.isr;

import insync.core.Clock;
import insync.core.Millis;

/** Contains what the trackers of one broker share while it runs scope "read". */
public final class ReadScope {
    final Clock clock;
    final Stats stats;
    final PendingListener listener;
    private volatile boolean ended;

    public ReadScope(Clock clock, Stats stats, PendingListener listener) {
        this.clock = clock;
        this.stats = stats;
        this.listener = listener;
    }

    /** Returns the marks of a fetch that begins now and may wait for records for so long. */
    public FetchMarks newMarks(long maxWaitMs) {
        return new FetchMarks(clock, stats, maxWaitMs);
    }

    /** Returns after what time no fetch that is pending now keeps its follower in sync, in milliseconds. */
    public long drainMs(long maxLagMs) {
        return FetchRule.forgivenMs(maxLagMs) + Math.min(maxLagMs, Millis.MOST);
    }

    /** Ends the effect of its trackers. */
    public void end() {
        ended = true;
    }

    boolean hasEnded() {
        return ended;
    }
}
