package insync.core;

import java.util.List;
import java.util.Map;

/** Shows a running broker to the bridge; a version's adapter implements it. Maps contain JSON values only. */
public interface BrokerView {

    int brokerId();

    /** Returns Kafka's version, such as "4.3.1". */
    String brokerVersion();

    /** Returns the feature's settings as this broker runs them, by config name. */
    Map<String, Object> settings();

    /** Returns the partitions that this broker leads, as "topic-partition"; of one topic, or for "" of all topics. */
    List<String> ledPartitions(String topic);

    /**
     * Returns the replicas of a partition as its leader sees them.
     *
     * @return leader, epochs, isr, leo, high_watermark and one entry per replica (id, in_isr, leo,
     *     last_caught_up_ms, lag_ms, lag_records, pending), or null if this broker does not lead it
     */
    Map<String, Object> replicas(String topic, int partition);

    /**
     * Returns the state of this broker's own replica of a partition, whichever broker leads it.
     *
     * @return log_start_offset, high_watermark and leo, read in this order, so that they may rise in between; or null if
     *     it has none
     */
    Map<String, Object> ownReplica(String topic, int partition);

    /**
     * Returns this broker's fetcher threads: threads, those alive, and failed_partitions, null where not known.
     */
    Map<String, Object> fetchers();
}
