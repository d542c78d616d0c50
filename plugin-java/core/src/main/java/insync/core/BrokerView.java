package insync.core;

import java.util.List;
import java.util.Map;

/** What a running broker lets others see of itself; a version adapter implements it. Maps hold JSON values only. */
public interface BrokerView {

    int brokerId();

    /** Kafka's version, such as "4.3.1". */
    String brokerVersion();

    /** The feature's settings as this broker runs them, by config name. */
    Map<String, Object> settings();

    /** "topic-partition" of every partition this broker leads, of one topic or, for "", of all. */
    List<String> ledPartitions(String topic);

    /**
     * The replicas of a partition as its leader sees them.
     *
     * @return leader, epochs, isr, leo, high_watermark and one entry per replica (id, in_isr, leo,
     *     last_caught_up_ms, lag_ms, lag_records, pending), or null if this broker does not lead it
     */
    Map<String, Object> replicas(String topic, int partition);

    /**
     * This broker's own replica of a partition, whoever leads it.
     *
     * @return log_start_offset, high_watermark and leo, read in this order, so that they may rise in between; or null if
     *     it has none
     */
    Map<String, Object> ownReplica(String topic, int partition);

    /** The threads with which this broker fetches: threads, those alive, and failed_partitions, null where not known. */
    Map<String, Object> fetchers();
}
