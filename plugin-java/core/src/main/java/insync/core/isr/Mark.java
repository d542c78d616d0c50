package insync.core.isr;

/**
 * "This fetch is pending": one follower's fetch of one partition, from before it is read until its
 * response callback. A mark's identity is the object itself, because the same offset may be pending twice.
 *
 * <p>Marks are recycled by their owner, so that steady replication allocates none; every field is
 * guarded by the owner's lock, except {@link #nextInFetch}, which belongs to the thread that builds the fetch.
 */
final class Mark {
    final ReadScopeTracker owner;
    int leaderEpoch;
    long fetchOffset;
    long sinceNanos;
    /** False once completed, or cleared by an election. */
    boolean standing;
    /** The leader has read this fetch and found the follower caught up by it. */
    boolean served;
    Mark nextOfFollower;
    Mark nextInFetch;

    Mark(ReadScopeTracker owner) {
        this.owner = owner;
    }
}
