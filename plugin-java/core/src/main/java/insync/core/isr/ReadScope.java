package insync.core.isr;

import insync.core.Clock;
import insync.core.Millis;

/** Contains what the trackers of one broker share while it runs scope "read". */
public final class ReadScope {
    final Clock clock;
    final Stats stats;
    final PendingListener listener;
    final long maxAgeMs;
    private volatile boolean ended;

    /**
     * @param maxAgeMs for how long a fetch keeps its follower in sync at most; -1 is 10 times replica.lag.time.max.ms
     */
    public ReadScope(Clock clock, Stats stats, PendingListener listener, long maxAgeMs) {
        this.clock = clock;
        this.stats = stats;
        this.listener = listener;
        this.maxAgeMs = maxAgeMs;
    }

    /** Returns the marks of a fetch that begins now and may wait for records for so long. */
    public FetchMarks newMarks(long maxWaitMs) {
        return new FetchMarks(clock, stats, maxWaitMs);
    }

    /** Returns after what time no fetch that is pending now keeps its follower in sync, in milliseconds. */
    public long drainMs(long maxLagMs) {
        return limitMs(maxLagMs) + Math.min(maxLagMs, Millis.MOST);
    }

    long limitMs(long maxLagMs) {
        return FetchRule.forgivenMs(maxAgeMs, maxLagMs);
    }

    /** Ends the effect of its trackers. */
    public void end() {
        ended = true;
    }

    boolean hasEnded() {
        return ended;
    }
}
