package insync.core.isr;

import insync.core.Millis;
import insync.core.events.EventLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Tracks the pending fetches of one follower replica of one partition. There is one subclass per scope of the
 * feature.
 *
 * <p>It never changes Kafka's own state. It gets every fetch that Kafka records, and is called when Kafka's rule finds
 * the follower out of sync. Thread safe. Each partition has its own lock, and no thread waits while it has the lock.
 *
 * <p>When the scope changes at run time, the follower gets another tracker. The one before is asked, too, as long as fetches
 * may be pending that began in its scope.
 */
public abstract class FollowerTracker {
    /** {@link #overdueSince} returns this when there is no such fetch. */
    public static final long NOT_PENDING = Long.MIN_VALUE;
    /** The caught-up time of a replica that is outside the ISR at an election, as in Kafka. */
    static final long NEVER = 0;

    final FollowerReplica replica;
    final Scope scope;
    final Stats stats;
    /** The leader's log end offset at this follower's previous fetch in this leader epoch. */
    long previousLeaderLeo = FetchRule.UNKNOWN_OFFSET;
    private Hold hold;
    private volatile long heldUntilNanos;
    private volatile FollowerTracker earlier;

    /** @param earlier the follower's tracker in another scope that was on before, or null */
    FollowerTracker(FollowerReplica replica, Scope scope, FollowerTracker earlier) {
        this.replica = replica;
        this.scope = scope;
        this.stats = scope.stats;
        this.earlier = notEnded(earlier);
    }

    /** Returns whether a scope made this tracker. */
    public final boolean isOf(Scope other) {
        return scope == other;
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
        if (earlier != null) {
            FollowerTracker other = notEnded(earlier);
            earlier = other;
            if (other != null) {
                other.fetched(fetchOffset, leaderLeo);
            }
        }
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
        forgetEarlier();
        forget(inSync ? nowMs : NEVER);
    }

    /** Notes that this broker no longer leads the partition. */
    public final synchronized void resigned() {
        previousLeaderLeo = FetchRule.UNKNOWN_OFFSET;
        releaseHold();
        forgetEarlier();
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
        boolean holds = holdsNow(nowMs, maxLagMs);
        if (holds) {
            hold(maxLagMs);
        } else {
            releaseHold();
        }
        return holds;
    }

    private synchronized boolean holdsNow(long nowMs, long maxLagMs) {
        FollowerTracker other = notEnded(earlier);
        earlier = other;
        return !scope.ended && holds(nowMs, maxLagMs) || other != null && other.holdsNow(nowMs, maxLagMs);
    }

    /** Returns one map per pending fetch, youngest first: offset, leader_epoch, age_ms. */
    public final List<Map<String, Object>> snapshot() {
        FollowerTracker other = earlier;
        if (other == null) {
            return pending();
        }
        List<Map<String, Object>> all = new ArrayList<>(pending());
        all.addAll(other.snapshot());
        return all;
    }

    /**
     * Returns since when the oldest fetch of the leader epoch is overdue: its arrival, plus the time for which its follower
     * lets it wait for records. Takes this object's leaf lock, so callers must be rare.
     *
     * @param before ignores fetches that became overdue later; the broker's monotonic clock
     * @return by the same clock, or {@link #NOT_PENDING}
     */
    public final long overdueSince(long before) {
        FollowerTracker other = earlier;
        return earlierOf(oldestOverdue(before), other == null ? NOT_PENDING : other.overdueSince(before));
    }

    /** Returns the earlier one of two times by the monotonic clock, of which each may be {@link #NOT_PENDING}. */
    public static long earlierOf(long one, long other) {
        return one == NOT_PENDING || other != NOT_PENDING && other - one < 0 ? other : one;
    }

    abstract List<Map<String, Object>> pending();

    static Map<String, Object> entry(long offset, int leaderEpoch, long ageNanos) {
        return EventLog.fields("offset", offset, "leader_epoch", leaderEpoch, "age_ms", ageNanos / 1_000_000L);
    }

    abstract long oldestOverdue(long before);

    abstract void read(long fetchOffset, long leaderLeo);

    /** @param caughtUpMs time of the election for a member of the ISR, {@link #NEVER} for others */
    abstract void forget(long caughtUpMs);

    abstract boolean holds(long nowMs, long maxLagMs);

    /** Returns the hold of a follower that its fetch keeps in sync now. */
    abstract Hold holdNow();

    final void releaseHold() {
        if (hold != null) {
            stats.notHeld(this, hold);
            hold = null;
        }
    }

    /** Returns whether the follower was not checked for so long that the partition must be deleted. */
    final boolean isForgotten(long nowNanos) {
        return heldUntilNanos - nowNanos < 0;
    }

    /** Returns the first tracker whose scope has not ended: the given one or one before it, or null. */
    private static FollowerTracker notEnded(FollowerTracker newest) {
        FollowerTracker tracker = newest;
        while (tracker != null && tracker.scope.ended) {
            tracker = tracker.earlier;
        }
        return tracker;
    }

    private void forgetEarlier() {
        FollowerTracker other = earlier;
        earlier = null;
        if (other != null) {
            other.resigned();
        }
    }

    /** Holds the follower until Kafka's next check, which comes every half of replica.lag.time.max.ms. */
    private void hold(long maxLagMs) {
        heldUntilNanos = System.nanoTime() + Millis.toNanos(maxLagMs);
        if (hold == null || !stats.isHeld(this)) {
            FollowerTracker other = earlier;
            Hold own = holdNow();
            hold = own.site == Hold.Site.NONE && other != null ? other.holdNow() : own;
            stats.held(this, hold);
        }
    }
}
