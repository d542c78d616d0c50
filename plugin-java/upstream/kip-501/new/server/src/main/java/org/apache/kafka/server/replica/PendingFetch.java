package org.apache.kafka.server.replica;

/**
 * A follower's fetch of one partition that the leader has begun to process and not answered yet: from before the log is
 * read until the response callback has run.
 */
public final class PendingFetch {
    private final Replica replica;
    private final long fetchOffset;
    private final long startTimeMs;
    // Whether the follower is caught up as of the time when this fetch completes
    private volatile boolean isCaughtUp = false;

    PendingFetch(Replica replica, long fetchOffset, long startTimeMs) {
        this.replica = replica;
        this.fetchOffset = fetchOffset;
        this.startTimeMs = startTimeMs;
    }

    long fetchOffset() {
        return fetchOffset;
    }

    /**
     * The time by {@link org.apache.kafka.common.utils.Time#hiResClockMs} when the leader began to process this fetch.
     */
    long startTimeMs() {
        return startTimeMs;
    }

    boolean isCaughtUp() {
        return isCaughtUp;
    }

    void caughtUp() {
        isCaughtUp = true;
    }

    /**
     * Complete this fetch after its response callback has run. Only the first call has an effect.
     */
    public void complete(long currentTimeMs) {
        replica.completeFetch(this, currentTimeMs);
    }
}
