package insync.core.isr;

/**
 * One follower replica of a partition that this broker leads, as the rules see it. A version adapter
 * implements it over the broker's own Partition.
 *
 * <p>All methods are called under {@link FollowerTracker}'s lock and must neither block nor take a lock.
 */
public interface FollowerReplica {

    String topic();

    int partition();

    /** The follower's broker id. */
    int replicaId();

    /** The partition's leader epoch at this moment. */
    int leaderEpoch();
}
