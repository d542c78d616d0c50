package insync.core.isr;

/** Receives each fetch that is no longer pending. Called under a leaf lock, so it must return at once. */
public interface PendingListener {

    /**
     * @param replicaId the follower's broker id
     * @param topic the topic, or null if the fetch was pending for all its partitions together
     * @param partition of the topic, or -1
     * @param pendingNanos how long it was pending
     */
    void released(int replicaId, String topic, int partition, long pendingNanos);

    /**
     * Notes that a fetch has been pending for so long that it no longer keeps its follower in sync; once per fetch and
     * partition, with the same parameters.
     */
    default void outlived(int replicaId, String topic, int partition, long pendingNanos) {
        // A scope whose fetches end with their connection has none.
    }
}
