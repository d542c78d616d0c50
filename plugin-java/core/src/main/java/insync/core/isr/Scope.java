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

    /** Ends the effect of its trackers. */
    public void end() {
        ended = true;
    }
}
