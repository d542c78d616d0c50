package insync.core;

/**
 * One follower replica of a partition that this broker leads, as the rules see it. A version adapter
 * implements it over the broker's own Replica and Partition.
 *
 * <p>All methods are called under {@link FollowerFetches}'s lock and must neither block nor take a lock.
 */
public interface FollowerReplica {

    String topic();

    int partition();

    /** The follower's broker id. */
    int replicaId();

    /** The partition's leader epoch at this moment. */
    int leaderEpoch();

    /**
     * Raises the replica's last caught-up time to {@code timeMs} if it is earlier, and changes nothing else.
     *
     * @param timeMs milliseconds since the epoch
     */
    void caughtUpAt(long timeMs);
}
