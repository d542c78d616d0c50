package insync.core.isr;

import insync.core.Clock;
import insync.core.events.EventLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Tracks the pending fetches of one follower replica in scope "read", from before they are read until their response
 * callback, and its last caught-up time, by the rule of KIP-501 (solution 1) as written.
 */
public final class ReadScopeTracker extends FollowerTracker {
    private final Clock clock;
    private Mark standing;
    private Mark free;
    private long caughtUpMs = NEVER;

    public ReadScopeTracker(FollowerReplica replica, Clock clock, Stats stats) {
        super(replica, stats);
        this.clock = clock;
    }

    /**
     * Marks a fetch as pending if {@link FetchRule#isPending} says so.
     *
     * @param fetchOffset offset the follower asks for
     * @param sinceNanos time by the clock
     * @param waitNanos how long the fetch may wait for records
     * @return the mark, or null if this fetch does not protect its follower
     */
    synchronized Mark mark(long fetchOffset, long sinceNanos, long waitNanos) {
        if (!FetchRule.isPending(fetchOffset, previousLeaderLeo)) {
            return null;
        }
        Mark mark = free == null ? new Mark(this) : free;
        free = mark.nextOfFollower;
        mark.leaderEpoch = replica.leaderEpoch();
        mark.fetchOffset = fetchOffset;
        mark.sinceNanos = sinceNanos;
        mark.dueNanos = sinceNanos + waitNanos;
        mark.standing = true;
        mark.served = false;
        mark.nextOfFollower = standing;
        standing = mark;
        return mark;
    }

    /** Notes that this fetch makes the follower caught up when it completes; until then its mark protects the follower. */
    @Override
    void read(long fetchOffset, long leaderLeo) {
        if (FetchRule.isCaughtUp(fetchOffset, leaderLeo, previousLeaderLeo)) {
            for (Mark mark = standing; mark != null; mark = mark.nextOfFollower) {
                mark.served |= mark.fetchOffset == fetchOffset;
            }
        }
    }

    /**
     * Completes the fetch of this mark. {@link FetchMarks} calls it exactly once per mark.
     *
     * <p>It updates the last caught-up time before it removes the mark, so that the follower never looks out of sync
     * because of the leader's delay.
     *
     * @return whether the mark still stood
     */
    synchronized boolean complete(Mark mark, long nowMs, long pendingNanos, PendingListener listener) {
        boolean stood = mark.standing;
        if (stood) {
            if (mark.served && mark.leaderEpoch == replica.leaderEpoch()) {
                caughtUpMs = nowMs;
            }
            unlink(mark);
            listener.released(replica.replicaId(), replica.topic(), replica.partition(), pendingNanos);
        }
        mark.nextInFetch = null;
        mark.nextOfFollower = free;
        free = mark;
        return stood;
    }

    @Override
    boolean holds(long nowMs, long maxLagMs) {
        return standsInThisEpoch() || nowMs - caughtUpMs <= maxLagMs;
    }

    @Override
    void forget(long electedMs) {
        while (standing != null) {
            unlink(standing);
            stats.cleared();
        }
        caughtUpMs = electedMs;
    }

    @Override
    public synchronized List<Map<String, Object>> snapshot() {
        List<Map<String, Object>> marks = new ArrayList<>();
        for (Mark mark = standing; mark != null; mark = mark.nextOfFollower) {
            marks.add(EventLog.fields("offset", mark.fetchOffset, "leader_epoch", mark.leaderEpoch,
                "age_ms", (clock.nanos() - mark.sinceNanos) / 1_000_000L));
        }
        return marks;
    }

    @Override
    public synchronized long overdueSince(long before) {
        long oldest = NOT_PENDING;
        int epoch = replica.leaderEpoch();
        for (Mark mark = standing; mark != null; mark = mark.nextOfFollower) {
            boolean counts = mark.leaderEpoch == epoch && mark.dueNanos - before <= 0;
            if (counts && (oldest == NOT_PENDING || mark.dueNanos - oldest < 0)) {
                oldest = mark.dueNanos;
            }
        }
        return oldest;
    }

    private boolean standsInThisEpoch() {
        int epoch = replica.leaderEpoch();
        for (Mark mark = standing; mark != null; mark = mark.nextOfFollower) {
            if (mark.leaderEpoch == epoch) {
                return true;
            }
        }
        return false;
    }

    private void unlink(Mark mark) {
        if (standing == mark) {
            standing = mark.nextOfFollower;
        } else {
            Mark before = standing;
            while (before.nextOfFollower != mark) {
                before = before.nextOfFollower;
            }
            before.nextOfFollower = mark.nextOfFollower;
        }
        mark.nextOfFollower = null;
        mark.standing = false;
        if (standing == null) {
            releaseHold();
        }
    }
}
