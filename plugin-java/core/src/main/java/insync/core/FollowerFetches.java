package insync.core;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The pending fetches of one follower replica of one partition (KIP-501, solution 1).
 *
 * <p>Thread safe. The lock is never shared between partitions and nothing is waited for while it is held:
 * under it there are field reads, a compare-and-set on the replica's state, and an offer to the event queue.
 */
public final class FollowerFetches {
    private final FollowerReplica replica;
    private final Clock clock;
    private final Stats stats;
    private final PendingListener listener;
    private Mark standing;
    private Mark free;
    private boolean held;

    public FollowerFetches(FollowerReplica replica, Clock clock, Stats stats, PendingListener listener) {
        this.replica = replica;
        this.clock = clock;
        this.stats = stats;
        this.listener = listener;
    }

    /**
     * Marks a fetch as pending if {@link FetchRule#isPending} says so.
     *
     * @param fetchOffset offset the follower asks for
     * @param previousLeaderLeo the leader's log end offset at this follower's previous fetch
     * @return the mark, or null if this fetch is none that protects its follower
     */
    synchronized Mark mark(long fetchOffset, long previousLeaderLeo) {
        if (!FetchRule.isPending(fetchOffset, previousLeaderLeo)) {
            return null;
        }
        Mark mark = free == null ? new Mark(this) : free;
        free = mark.nextOfFollower;
        mark.leaderEpoch = replica.leaderEpoch();
        mark.fetchOffset = fetchOffset;
        mark.sinceNanos = clock.nanos();
        mark.standing = true;
        mark.served = false;
        mark.nextOfFollower = standing;
        standing = mark;
        stats.marked();
        return mark;
    }

    /**
     * The leader has read a fetch of this follower: if that makes it caught up, its last caught-up time
     * becomes now, and once more the time at which the fetch completes.
     *
     * @param fetchOffset offset the follower asked for
     * @param leaderLeo the leader's log end offset when the fetch was read
     * @param previousLeaderLeo the leader's log end offset at this follower's previous fetch
     */
    public synchronized void served(long fetchOffset, long leaderLeo, long previousLeaderLeo) {
        if (!FetchRule.isCaughtUp(fetchOffset, leaderLeo, previousLeaderLeo)) {
            return;
        }
        replica.caughtUpAt(clock.millis());
        for (Mark mark = standing; mark != null; mark = mark.nextOfFollower) {
            mark.served |= mark.fetchOffset == fetchOffset;
        }
    }

    /**
     * The fetch of this mark is complete. {@link FetchMarks} calls it exactly once per mark.
     *
     * <p>The last caught-up time moves before the mark goes, so that at no moment in between the
     * follower looks out of sync for the time the leader took.
     */
    synchronized void complete(Mark mark) {
        if (mark.standing) {
            if (mark.served && mark.leaderEpoch == replica.leaderEpoch()) {
                replica.caughtUpAt(clock.millis());
            }
            unlink(mark);
            long heldNanos = clock.nanos() - mark.sinceNanos;
            stats.released(heldNanos);
            listener.released(replica, mark.fetchOffset, heldNanos);
        }
        mark.nextInFetch = null;
        mark.nextOfFollower = free;
        free = mark;
    }

    /**
     * Whether a mark of the current leader epoch stands. Asked when the follower is out of sync by
     * Kafka's own rule; a yes is counted as a hold, once per stretch of time.
     */
    public synchronized boolean holdsInSync() {
        int epoch = replica.leaderEpoch();
        for (Mark mark = standing; mark != null; mark = mark.nextOfFollower) {
            if (mark.leaderEpoch == epoch) {
                setHeld(true);
                return true;
            }
        }
        return false;
    }

    /** Leader election or re-election: no mark of the old epoch stands any longer. */
    public synchronized void clear() {
        while (standing != null) {
            unlink(standing);
            stats.cleared();
        }
    }

    /** One map per standing mark, youngest first: offset, leader_epoch, age_ms. */
    public synchronized List<Map<String, Object>> snapshot() {
        List<Map<String, Object>> marks = new ArrayList<>();
        for (Mark mark = standing; mark != null; mark = mark.nextOfFollower) {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("offset", mark.fetchOffset);
            one.put("leader_epoch", mark.leaderEpoch);
            one.put("age_ms", (clock.nanos() - mark.sinceNanos) / 1_000_000L);
            marks.add(one);
        }
        return marks;
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
            setHeld(false);
        }
    }

    private void setHeld(boolean now) {
        if (held != now) {
            held = now;
            stats.held(now);
        }
    }
}
