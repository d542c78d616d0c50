package insync.core.isr;

/** Describes a follower that the leader keeps in the ISR now, only because of how long the leader takes for its fetch. */
public final class Hold {
    public final FollowerReplica follower;
    public final Site site;
    private final long pendingNanos;
    private final long sinceNanos;

    /** @param pendingNanos for how long the fetch had been pending when the hold began */
    Hold(FollowerReplica follower, Site site, long pendingNanos) {
        this.follower = follower;
        this.site = site;
        this.pendingNanos = pendingNanos;
        this.sinceNanos = System.nanoTime();
    }

    /** Returns for how long the follower's fetch had been pending when the hold began, milliseconds; 0 without a fetch. */
    public long pendingMs() {
        return pendingNanos / 1_000_000L;
    }

    /** Returns how long ago the hold began, milliseconds. */
    public long ageMs() {
        return (System.nanoTime() - sinceNanos) / 1_000_000L;
    }

    /** Where the leader was with the follower's fetch when the hold began. */
    public enum Site {
        /** The request waits for a handler; scope "request". */
        QUEUE,
        /** A handler has begun with the fetch, and its network thread sends no records. */
        READ,
        /** The network thread of the connection transfers records from file to socket; scope "request". */
        SEND,
        /**
         * No fetch is pending: the last one was answered less than replica.lag.time.max.ms ago, or the leader's process did
         * not run.
         */
        NONE
    }

    /** Receives the begin and the end of holds. Called under a leaf lock, so it must return at once and never throw. */
    public interface Listener {
        /** Notes that the leader begins to keep a follower in the ISR. */
        default void held(Hold hold) { }

        /**
         * Notes that the leader no longer keeps the follower in the ISR because of its fetch: it is caught up again, or out
         * of sync, or the leader no longer leads.
         */
        void released(Hold hold);
    }
}
