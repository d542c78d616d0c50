package insync.core.isr;

import insync.core.Millis;

/**
 * Decides whether a fetch is pending and whether it is caught up, by KIP-501's two comparisons of offsets (solution 1).
 */
public final class FetchRule {
    /**
     * What is forgiven at most, in times of replica.lag.time.max.ms: 5 minutes by Kafka's default, longer than the stalls that
     * people report, and a bound for how long acks wait for a dead follower whose leader hangs.
     */
    public static final long FORGIVEN_LAGS = 10;

    /** Kafka's UNKNOWN_OFFSET: the leader has seen no fetch of this follower in its epoch. */
    public static final long UNKNOWN_OFFSET = -1L;

    private FetchRule() { }

    /**
     * Returns how much of the time since a follower was last caught up is forgiven at most, in milliseconds, whatever the
     * leader did in it. A leader that hangs cannot see whether the follower is alive.
     *
     * @param maxLagMs replica.lag.time.max.ms
     */
    static long forgivenMs(long maxLagMs) {
        return Math.min(FORGIVEN_LAGS * Math.min(maxLagMs, Millis.MOST), Millis.MOST);
    }

    /** Returns after what time no fetch that is pending now keeps its follower in sync, in milliseconds. */
    public static long endsWithinMs(long maxLagMs) {
        return forgivenMs(maxLagMs) + Math.min(maxLagMs, Millis.MOST);
    }

    /**
     * Returns whether a follower's fetch counts as pending while the leader processes it (KIP-501, "Proposed Changes").
     *
     * <p>A follower's first fetch to a new leader has no previous log end offset to compare with
     * ({@link #UNKNOWN_OFFSET}) and is always pending: a new leader that stalls on the first fetch must not remove
     * members of the ISR. Outside the ISR a mark has no effect.
     *
     * @param fetchOffset offset the follower asks for
     * @param previousLeaderLeo the leader's log end offset at this follower's previous fetch
     */
    public static boolean isPending(long fetchOffset, long previousLeaderLeo) {
        return fetchOffset >= previousLeaderLeo;
    }

    /**
     * Returns whether a completed fetch makes its follower caught up as of the time of completion.
     *
     * <p>Unlike {@link #isPending} this needs a known previous log end offset. Kafka's high watermark waits
     * for every caught-up replica, so a replica that starts to fetch must not count as caught up.
     *
     * @param leaderLeo the leader's log end offset when this fetch was read
     */
    public static boolean isCaughtUp(long fetchOffset, long leaderLeo, long previousLeaderLeo) {
        return fetchOffset >= leaderLeo
            || (previousLeaderLeo != UNKNOWN_OFFSET && fetchOffset >= previousLeaderLeo);
    }
}
