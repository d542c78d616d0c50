package insync.core.stepdown;

/**
 * Measures since when this broker, as a follower, waits for an answer of one peer on one fetcher thread. Only that
 * thread writes it, the watch reads it, without a lock; nothing is allocated.
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

    /** Notes that the fetch is answered, or has failed: a dead peer is not slow. */
    public void ended() {
        sentNanos = NONE;
    }

    /** Notes that the fetcher is closed and sends nothing any longer. */
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
