package insync.core.isr;

/**
 * Decides by KIP-501's two comparisons of offsets (solution 1).
 */
public final class FetchRule {

    /** Kafka's UNKNOWN_OFFSET: the leader has seen no fetch of this follower in its epoch. */
    public static final long UNKNOWN_OFFSET = -1L;

    private FetchRule() { }

    /**
     * Returns whether a follower's fetch stands as pending while the leader works on it (KIP-501, "Proposed Changes").
     *
     * <p>Before a follower's first fetch to a new leader there is no earlier log end offset to fall short
     * of ({@link #UNKNOWN_OFFSET}), so that fetch is pending too: a leader that stalls on the very first
     * fetch must not drop a member of the ISR it has just been elected from. Outside the ISR a mark has
     * no effect.
     *
     * @param fetchOffset offset the follower asks for
     * @param previousLeaderLeo the leader's log end offset at this follower's previous fetch
     */
    public static boolean isPending(long fetchOffset, long previousLeaderLeo) {
        return fetchOffset >= previousLeaderLeo;
    }

    /**
     * Returns whether a fetch that was served makes its follower caught up as of the time it completes.
     *
     * <p>Unlike {@link #isPending} this needs a known earlier log end offset: Kafka's high watermark waits
     * for any caught-up replica, so a replica that is only starting to fetch must not count as one.
     *
     * @param fetchOffset offset the follower asked for
     * @param leaderLeo the leader's log end offset when this fetch was read
     * @param previousLeaderLeo the leader's log end offset at this follower's previous fetch
     */
    public static boolean isCaughtUp(long fetchOffset, long leaderLeo, long previousLeaderLeo) {
        return fetchOffset >= leaderLeo
            || (previousLeaderLeo != UNKNOWN_OFFSET && fetchOffset >= previousLeaderLeo);
    }
}
