package insync.core.isr;

/**
 * Marks one follower's fetch of one partition as pending, from before it is read until its response callback. The
 * object is the identity of a mark, because the same offset may be pending twice.
 *
 * <p>The owner reuses marks, so that steady replication allocates none. The owner's lock guards every field,
 * except {@link #nextInFetch}, which belongs to the thread that builds the fetch.
 */
final class Mark {
    final ReadScopeTracker owner;
    int leaderEpoch;
    long fetchOffset;
    long sinceNanos;
    /** Until when the fetch may wait for records. */
    long dueNanos;
    /** False once completed, or cleared by an election. */
    boolean standing;
    /** The leader has read this fetch and found the follower caught up by it. */
    boolean served;
    /** Whether it was noted that this mark is too old to keep its follower in sync. */
    boolean outlived;
    Mark nextOfFollower;
    Mark nextInFetch;

    Mark(ReadScopeTracker owner) {
        this.owner = owner;
    }
}
