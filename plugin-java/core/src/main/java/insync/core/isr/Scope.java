package insync.core.isr;

import insync.core.Clock;

/** What the trackers of one broker share while it runs a scope: "read", or its subclass. */
public class Scope {
    final Clock clock;
    final Stats stats;
    final PendingListener listener;
    volatile boolean ended;

    public Scope(Clock clock, Stats stats, PendingListener listener) {
        this.clock = clock;
        this.stats = stats;
        this.listener = listener;
    }

    /**
     * Returns a new tracker of a follower.
     *
     * @param electedMs time of the leader's election for a member of the ISR, 0 for others
     * @param earlier the follower's tracker in another scope that was on before, or null
     */
    public FollowerTracker tracker(FollowerReplica follower, long electedMs, FollowerTracker earlier) {
        return new ReadScopeTracker(follower, this, earlier);
    }

    /** Ends the effect of its trackers. */
    public void end() {
        ended = true;
    }
}
