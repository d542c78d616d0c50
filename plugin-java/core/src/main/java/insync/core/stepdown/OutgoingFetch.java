package insync.core.stepdown;

/**
 * What this broker, as a follower, sees of one peer over one of its own fetcher threads: since when it waits for an
 * answer. Written by that thread alone, read by the watch, without a lock; nothing is allocated.
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

    /** A fetch is about to be sent to the peer, over a connection that stands. */
    public void sent() {
        sentNanos = all.nanos();
    }

    /** It is answered, or has failed: a peer that is dead is not slow. */
    public void ended() {
        sentNanos = NONE;
    }

    /** The fetcher is closed and sends nothing any longer. */
    public void closed() {
        sentNanos = NONE;
        all.remove(this);
    }

    int peer() {
        return peer;
    }

    /** By the broker's monotonic clock, or {@link #NONE}. */
    long sentNanos() {
        return sentNanos;
    }
}
