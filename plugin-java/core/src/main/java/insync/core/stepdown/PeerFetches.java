package insync.core.stepdown;

import insync.core.Clock;
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
        OutgoingFetch fetcher = new OutgoingFetch(peer, this);
        fetchers.add(fetcher);
        return fetcher;
    }

    /**
     * Returns since when the oldest fetch to a peer is unanswered, by the broker's clock, or {@link OutgoingFetch#NONE}.
     */
    long oldest(int peer) {
        long oldest = OutgoingFetch.NONE;
        for (OutgoingFetch fetcher : fetchers) {
            long sent = fetcher.sentNanos();
            if (fetcher.peer() == peer && sent != OutgoingFetch.NONE
                    && (oldest == OutgoingFetch.NONE || sent - oldest < 0)) {
                oldest = sent;
            }
        }
        return oldest;
    }

    void remove(OutgoingFetch fetcher) {
        fetchers.remove(fetcher);
    }

    long nanos() {
        return clock.nanos();
    }
}
