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
}
