package insync.core.stepdown;

/**
 * Measures how long this broker, as a follower, waits for a peer's response on one fetcher thread. Only that
 * thread writes it and the watch reads it, without a lock or an allocation.
 */
public final class OutgoingFetch {
    static final long NONE = Long.MIN_VALUE;

    private final int peer;
    private final PeerFetches all;
    private volatile long sentNanos = NONE;

    OutgoingFetch(int peer, PeerFetches all) {
        this.peer = peer;
        this.all = all;
    }

    /** Notes that a fetch is about to be sent to the peer, over an open connection. */
    public void sent() {
        sentNanos = all.nanos();
    }

    /** Notes that the fetch is answered or has failed. A dead peer is not slow. */
    public void ended() {
        sentNanos = NONE;
    }

    public void closed() {
        sentNanos = NONE;
        all.remove(this);
    }

    int peer() {
        return peer;
    }

    /** Returns when the fetch was sent, by the broker's monotonic clock, or {@link #NONE}. */
    long sentNanos() {
        return sentNanos;
    }
}
