package insync.core.stepdown;

import insync.core.isr.FollowerTracker;

/**
 * Describes to the watch a partition that this broker leads; a version adapter implements it over the broker's
 * Partition. Every tick calls {@link #topic}, {@link #partition}, {@link #leaderEpoch}, {@link #readFailed}, {@link
 * #overdueSince} and, if appends are timed, {@link #oldestAppend} for every partition, and the other methods for those with a slow
 * fetch, a slow append or a read error.
 *
 * <p>No method may wait or take leaderIsrUpdateLock, because a stalled read keeps that lock.
 */
public interface PartitionView {

    String topic();

    int partition();

    int leaderEpoch();

    /**
     * Returns since when a fetch of a <em>member of the ISR</em> is overdue: the oldest {@link
     * FollowerTracker#overdueSince} of those followers. Acks do not wait for other followers.
     *
     * @param before ignores fetches that became overdue later; the broker's monotonic clock
     * @return time by the same clock, or {@link FollowerTracker#NOT_PENDING}
     */
    long overdueSince(long before);

    /** Returns the oldest append to the partition's log that has not ended, or null if there is none. */
    PendingAppend oldestAppend();

    /** Returns whether a read for a follower failed since the last call; false where that is not noted. */
    boolean readFailed();

    /**
     * Returns whether another change of this partition is under way: an ISR change that the controller has not
     * confirmed, a reassignment, or the deletion of the topic. Such a partition is not given away.
     */
    boolean isChanging();

    /** Returns the ISR that the controller confirmed, in the order of the assignment; this broker is a member. */
    int[] isr();

    /** Returns min.insync.replicas of the topic. */
    int minIsr();

    /** Returns the log end offset of a follower that this leader knows, or -1. */
    long leo(int replicaId);
}
