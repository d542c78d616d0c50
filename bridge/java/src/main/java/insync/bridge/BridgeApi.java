package insync.bridge;

/**
 * All that Python may ask a running broker. Answers are primitives or JSON texts; bridge/contract/bridge-api.json
 * holds the methods and the fields of each answer, and both sides are tested against it.
 */
public interface BridgeApi {

    /** Version of this contract; a client refuses another. */
    int apiVersion();

    int brokerId();

    /** Kafka's version, such as "4.3.1". */
    String brokerVersion();

    /** JSON object: the feature's broker configs as this broker runs them. */
    String settings();

    /** JSON object: marks, holds, errors, dropped events and step-downs since the broker's start. */
    String counters();

    /**
     * JSON array of "topic-partition", sorted: the partitions this broker leads.
     *
     * @param topic one topic's name, or "" for all
     */
    String ledPartitions(String topic);

    /**
     * JSON object: a partition's replicas as its leader sees them, or JSON null if this broker does not lead it.
     *
     * @param partition the partition's number
     */
    String replicas(String topic, int partition);

    /**
     * JSON object: log_start_offset, high_watermark and leo of this broker's own replica, or JSON null if it has none.
     *
     * @param partition the partition's number
     */
    String ownReplica(String topic, int partition);

    /**
     * JSON object: the fetcher threads alive, how many partitions they gave up, and how often a log start offset was put
     * right, by a follower and in a leader's answers.
     */
    String fetchers();

    /**
     * The next thread that passes a point and is meant waits there; needs the agent's option {@code holds=on}.
     *
     * @param replica the id of the replica that the thread serves, or -1
     * @param partition "topic-partition" that it is about, or ""
     * @param maxMs after which it goes on by itself
     */
    void hold(String point, int replica, String partition, int maxMs);

    /** The thread that waits at a point goes on, and none waits there any more. */
    void release(String point);

    /** JSON object: by point what became of the last hold that was asked for: waiting, held, held_ms, expired. */
    String holds();
}
