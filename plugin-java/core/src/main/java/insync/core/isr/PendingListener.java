package insync.core.isr;

/** Is called for each fetch that is no longer pending, under a leaf lock, so it must return at once. */
public interface PendingListener {

    /**
     * @param replicaId the follower's broker id
     * @param topic whose fetch it was, or null if it was pending for all partitions of the fetch together
     * @param partition of the topic, or -1
     * @param heldNanos how long it was pending
     */
    void released(int replicaId, String topic, int partition, long heldNanos);
}
