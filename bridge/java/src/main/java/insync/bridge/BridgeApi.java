package insync.bridge;

/**
 * Defines the calls that Python may make to a running broker. Answers are primitives or JSON texts;
 * bridge/contract/bridge-api.json lists the methods and the fields of each answer, and both sides are tested against
 * it.
 */
public interface BridgeApi {

    /** Returns the version of this contract; a client refuses another. */
    int apiVersion();

    int brokerId();

    /** Returns Kafka's version, such as "4.3.1". */
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
     * JSON object: the fetcher threads alive, how many partitions they gave up, and how often a log start offset was
     * corrected, by a follower and in a leader's answers.
     */
    String fetchers();

    /**
     * Makes the next matching thread that passes a point wait there; needs the agent's option {@code pause-points=on}.
     *
     * @param replica the id of the replica that the thread serves, or -1
     * @param partition "topic-partition" that the thread works on, or ""
     * @param maxMs the longest pause, milliseconds
     */
    void hold(String point, int replica, String partition, int maxMs);

    /** Lets the thread that waits at a point continue; no other waits there. */
    void release(String point);

    /** JSON object: the result of the last pause of each point: waiting, held, held_ms, expired. */
    String holds();
}
