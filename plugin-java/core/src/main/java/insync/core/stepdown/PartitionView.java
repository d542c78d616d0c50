package insync.core.stepdown;

/**
 * A partition that this broker leads, as the watch sees it; a version adapter implements it over the broker's own
 * Partition. Only {@link #topic}, {@link #partition}, {@link #leaderEpoch} and {@link #pendingSince} are asked of every
 * partition at every tick, the others of those with a slow fetch.
 *
 * <p>Nothing here may wait, nor take leaderIsrUpdateLock: a stalled read holds that one.
 */
public interface PartitionView {

    String topic();

    int partition();

    /** The epoch in which this broker leads it. */
    int leaderEpoch();

    /**
     * Returns since when the leader processes the oldest fetch of a <em>member of the ISR</em>: the oldest {@link
     * insync.core.isr.FollowerTracker#pendingSince} of those followers. Of others nobody's ack waits.
     *
     * @param before only fetches that were pending by then are looked for, by the broker's monotonic clock
     * @return by the same clock, or {@link insync.core.isr.FollowerTracker#NOT_PENDING}
     */
    long pendingSince(long before);

    /**
     * Returns whether somebody else is about to change this partition: an ISR change that the controller has not
     * confirmed, a reassignment, the deletion of the topic. Such a partition is left alone.
     */
    boolean isChanging();

    /** Returns the ISR as the controller confirmed it, in the order of the assignment; this broker is a member. */
    int[] isr();

    /** min.insync.replicas of the topic. */
    int minIsr();

    /** The log end offset of a follower as this leader knows it, or -1. */
    long leo(int replicaId);
}
