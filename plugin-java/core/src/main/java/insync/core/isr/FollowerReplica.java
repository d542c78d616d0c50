package insync.core.isr;

/**
 * Shows a follower replica of a partition that this broker leads to the rules. The agent implements it over the
 * broker's own Partition.
 *
 * <p>All methods are called under {@link FollowerTracker}'s lock and must neither block nor take a lock.
 */
public interface FollowerReplica {

    String topic();

    int partition();

    /** Returns the follower's broker id. */
    int replicaId();

    /** Returns the partition's leader epoch at this moment. */
    int leaderEpoch();
}
