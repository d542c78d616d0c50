package insync.core.isr;

import insync.core.Clock;
import insync.core.Millis;

/** Scope "read" of one broker. */
public final class ReadScope extends Scope {

    public ReadScope(Clock clock, Stats stats, PendingListener listener) {
        super(clock, stats, listener);
    }

    /** Returns the marks of a fetch that begins now and may wait for records for so long. */
    public FetchMarks newMarks(long maxWaitMs) {
        return new FetchMarks(clock, stats, maxWaitMs);
    }

    /** Returns after what time no fetch that is pending now keeps its follower in sync, in milliseconds. */
    public long drainMs(long maxLagMs) {
        return FetchRule.forgivenMs(maxLagMs) + Math.min(maxLagMs, Millis.MOST);
    }
}
