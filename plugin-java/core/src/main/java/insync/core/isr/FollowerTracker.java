package insync.core.isr;

import java.util.List;
import java.util.Map;

/**
 * Tracks the pending fetches of one follower replica of one partition. There is one subclass per scope of the
 * feature.
 *
 * <p>It never changes Kafka's own state. It gets every fetch that Kafka records, and is called when Kafka's rule finds
 * the follower out of sync. Thread safe. Each partition has its own lock, and no thread waits while it has the lock.
 */
public abstract class FollowerTracker {
    /** {@link #overdueSince} returns this when there is no such fetch. */
    public static final long NOT_PENDING = Long.MIN_VALUE;
    /** The caught-up time of a replica that is outside the ISR at an election, as in Kafka. */
    static final long NEVER = 0;

    final FollowerReplica replica;
    final Stats stats;
    /** The leader's log end offset at this follower's previous fetch in this leader epoch. */
    long previousLeaderLeo = FetchRule.UNKNOWN_OFFSET;
    private boolean held;
    private volatile long heldUntilNanos;

    FollowerTracker(FollowerReplica replica, Stats stats) {
        this.replica = replica;
        this.stats = stats;
    }

    /**
     * Notes that the leader has read a fetch of this follower. Called where Kafka records it.
     *
     * @param fetchOffset offset the follower asked for
     * @param leaderLeo the leader's log end offset when the fetch was read
     */
    public final synchronized void fetched(long fetchOffset, long leaderLeo) {
        read(fetchOffset, leaderLeo);
        previousLeaderLeo = leaderLeo;
    }

    /**
     * Notes that the leader is elected, or re-elected in a new epoch. Fetches of the old epoch no longer count as pending.
     *
     * @param nowMs the broker's time
     * @param leaderLeo the leader's log end offset, which no follower is known to have reached
     * @param newLeader false if this broker led the partition in the epoch before
     * @param inSync whether the follower is a member of the ISR
     */
    public final synchronized void elected(long nowMs, long leaderLeo, boolean newLeader, boolean inSync) {
        // If the follower has not fetched yet, its next fetch is still its first one.
        if (previousLeaderLeo != FetchRule.UNKNOWN_OFFSET) {
            previousLeaderLeo = newLeader ? FetchRule.UNKNOWN_OFFSET : leaderLeo;
        }
        releaseHold();
        forget(inSync ? nowMs : NEVER);
    }

    /** Notes that this broker no longer leads the partition. */
    public final synchronized void resigned() {
        previousLeaderLeo = FetchRule.UNKNOWN_OFFSET;
        releaseHold();
        forget(NEVER);
    }

    /**
     * Returns whether the follower stays in sync although Kafka's rule says that it is out of sync. Counts a hold when the
     * answer changes to yes.
     *
     * @param nowMs the broker's time, milliseconds since the epoch
     * @param maxLagMs replica.lag.time.max.ms
     */
    public final synchronized boolean holdsInSync(long nowMs, long maxLagMs) {
        boolean holds = holds(nowMs, maxLagMs);
        if (holds) {
            hold(maxLagMs);
        } else {
            releaseHold();
        }
        return holds;
    }

    /** Returns one map per pending fetch, youngest first: offset, leader_epoch, age_ms. */
    public abstract List<Map<String, Object>> snapshot();

    /**
     * Returns since when the oldest fetch of the leader epoch is overdue: its arrival, plus the time for which its follower
     * lets it wait for records. Takes this object's leaf lock, so callers must be rare.
     *
     * @param before ignores fetches that became overdue later; the broker's monotonic clock
     * @return by the same clock, or {@link #NOT_PENDING}
     */
    public abstract long overdueSince(long before);

    abstract void read(long fetchOffset, long leaderLeo);

    /** @param caughtUpMs time of the election for a member of the ISR, {@link #NEVER} for others */
    abstract void forget(long caughtUpMs);

    abstract boolean holds(long nowMs, long maxLagMs);

    final void releaseHold() {
        if (held) {
            held = false;
            stats.notHeld(this);
        }
    }

    /** Returns whether the follower was not checked for so long that the partition must be deleted. */
    final boolean isForgotten(long nowNanos) {
        return heldUntilNanos - nowNanos < 0;
    }

    /** Holds the follower until Kafka's next check, which comes every half of replica.lag.time.max.ms. */
    private void hold(long maxLagMs) {
        heldUntilNanos = System.nanoTime() + maxLagMs * 1_000_000L;
        if (!held) {
            held = true;
            stats.held(this);
        }
    }
}
