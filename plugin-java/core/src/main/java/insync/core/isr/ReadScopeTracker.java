package insync.core.isr;

import insync.core.Millis;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Tracks the pending fetches of one follower replica in scope "read", from before they are read until their response
 * callback, and its last caught-up time, by the rule of KIP-501 (solution 1).
 *
 * <p>It deviates from the KIP in one respect: a fetch keeps its follower in sync "as long as" it is pending, but not for more
 * than a limit. A callback that never comes, because of an error in between, would keep a dead follower for ever.
 */
public final class ReadScopeTracker extends FollowerTracker {
    private Mark standing;
    private Mark free;
    private long caughtUpMs = NEVER;

    public ReadScopeTracker(FollowerReplica replica, Scope scope, FollowerTracker earlier) {
        super(replica, scope, earlier);
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
        mark.outlived = false;
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
    synchronized boolean complete(Mark mark, long nowMs, long pendingNanos) {
        boolean stood = mark.standing;
        if (stood) {
            // A follower whose fetch was no longer forgiven may be dead.
            if (mark.served && !mark.outlived && mark.leaderEpoch == replica.leaderEpoch()) {
                caughtUpMs = nowMs;
            }
            unlink(mark);
            scope.listener.released(replica.replicaId(), replica.topic(), replica.partition(), pendingNanos);
        }
        reuse(mark);
        return stood;
    }

    /**
     * Removes the mark of a fetch whose connection is lost: nobody gets its response, so it is not progress of the follower.
     * {@link FetchMarks} calls this or {@link #complete}, once per mark.
     */
    synchronized void abandon(Mark mark) {
        if (mark.standing) {
            unlink(mark);
            stats.cleared.increment();
        }
        reuse(mark);
    }

    private void reuse(Mark mark) {
        mark.nextInFetch = null;
        mark.nextOfFollower = free;
        free = mark;
    }

    @Override
    boolean holds(long nowMs, long maxLagMs) {
        return standsInThisEpoch(Millis.toNanos(FetchRule.forgivenMs(maxLagMs))) || nowMs - caughtUpMs <= maxLagMs;
    }

    @Override
    synchronized Hold holdNow() {
        long oldest = 0;
        int epoch = replica.leaderEpoch();
        for (Mark mark = standing; mark != null; mark = mark.nextOfFollower) {
            if (mark.leaderEpoch == epoch) {
                oldest = Math.max(oldest, scope.clock.nanos() - mark.sinceNanos);
            }
        }
        return new Hold(replica, standing == null ? Hold.Site.NONE : Hold.Site.READ, oldest);
    }

    @Override
    void forget(long electedMs) {
        while (standing != null) {
            unlink(standing);
            stats.cleared.increment();
        }
        caughtUpMs = electedMs;
    }

    @Override
    synchronized List<Map<String, Object>> pending() {
        List<Map<String, Object>> marks = new ArrayList<>();
        for (Mark mark = standing; mark != null; mark = mark.nextOfFollower) {
            marks.add(entry(mark.fetchOffset, mark.leaderEpoch, scope.clock.nanos() - mark.sinceNanos));
        }
        return marks;
    }

    @Override
    synchronized long oldestOverdue(long before) {
        long oldest = NOT_PENDING;
        int epoch = replica.leaderEpoch();
        for (Mark mark = standing; mark != null; mark = mark.nextOfFollower) {
            if (mark.leaderEpoch == epoch && mark.dueNanos - before <= 0) {
                oldest = earlierOf(oldest, mark.dueNanos);
            }
        }
        return oldest;
    }

    private boolean standsInThisEpoch(long limitNanos) {
        int epoch = replica.leaderEpoch();
        boolean stands = false;
        for (Mark mark = standing; mark != null; mark = mark.nextOfFollower) {
            long age = scope.clock.nanos() - mark.sinceNanos;
            if (mark.leaderEpoch == epoch && age <= limitNanos) {
                stands = true;
            } else if (mark.leaderEpoch == epoch && !mark.outlived) {
                mark.outlived = true;
                stats.outlived.increment();
                scope.listener.outlived(replica.replicaId(), replica.topic(), replica.partition(), age);
            }
        }
        return stands;
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
