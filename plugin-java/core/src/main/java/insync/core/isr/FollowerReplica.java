package insync.core.isr;

/**
 * Describes to the rules a follower replica of a partition that this broker leads. It is implemented over the
 * broker's Partition.
 *
 * <p>All methods are called under {@link FollowerTracker}'s lock and must neither block nor take a lock.
 */
public interface FollowerReplica {

    String topic();

    int partition();

    /** Returns the follower's broker id. */
    int replicaId();

    /** Returns the partition's current leader epoch. */
    int leaderEpoch();
}
