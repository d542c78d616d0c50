package insync.bridge;

/**
 * Defines the calls that Python may make to a running broker. Answers are primitives or JSON texts;
 * bridge/contract/bridge-api.json lists the methods and the fields of each answer, and both sides are tested against
 * it.
 */
public interface BridgeApi {

    /** Returns the version of this contract; clients refuse any other version. */
    int apiVersion();

    int brokerId();

    /** Returns Kafka's version, such as "4.3.1". */
    String brokerVersion();

    /** JSON object: the plugin's broker configs with this broker's values. */
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
     * JSON object: the leader's view of a partition's replicas, or JSON null if this broker does not lead it.
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
     * JSON object: the live fetcher threads, how many partitions they gave up, and how often a log start offset was
     * corrected, by a follower and in a leader's responses.
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

    /** Lets the thread at a point continue; no other thread pauses there. */
    void release(String point);

    /** JSON object: the result of the last pause of each point: waiting, held, held_ms, expired. */
    String holds();
}
