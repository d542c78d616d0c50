package insync.core.stepdown;

import insync.core.Clock;
import insync.core.isr.FollowerTracker;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Measures how fast peers answer the fetches that this broker sends as their follower. There is one
 * {@link OutgoingFetch} per fetcher, created with it.
 */
public final class PeerFetches {
    private final Clock clock;
    private final List<OutgoingFetch> fetchers = new CopyOnWriteArrayList<>();

    public PeerFetches(Clock clock) {
        this.clock = clock;
    }

    /**
     * Adds a new fetcher of this broker.
     *
     * @param peer the broker that it fetches from
     */
    public OutgoingFetch fetcher(int peer) {
        OutgoingFetch fetcher = new OutgoingFetch(peer);
        fetchers.add(fetcher);
        return fetcher;
    }

    /** Returns since when the oldest fetch to a peer is unanswered, by the broker's clock, or {@link FollowerTracker#NOT_PENDING}. */
    long oldest(int peer) {
        long oldest = FollowerTracker.NOT_PENDING;
        for (OutgoingFetch fetcher : fetchers) {
            if (fetcher.peer == peer) {
                oldest = FollowerTracker.earlierOf(oldest, fetcher.sentNanos);
            }
        }
        return oldest;
    }

    /**
     * Measures how long this broker, as a follower, waits for a peer's response on one fetcher thread. Only that
     * thread writes it and the watch reads it, without a lock or an allocation.
     */
    public final class OutgoingFetch {
        private final int peer;
        private volatile long sentNanos = FollowerTracker.NOT_PENDING;

        private OutgoingFetch(int peer) {
            this.peer = peer;
        }

        /** Notes that a fetch is about to be sent to the peer, over an open connection. */
        public void sent() {
            sentNanos = clock.nanos();
        }

        /** Notes that the fetch is answered or has failed. A dead peer is not slow. */
        public void ended() {
            sentNanos = FollowerTracker.NOT_PENDING;
        }

        public void closed() {
            ended();
            fetchers.remove(this);
        }
    }
}
