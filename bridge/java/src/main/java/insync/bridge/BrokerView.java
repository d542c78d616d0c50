package insync.bridge;

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
     * @return leader, epoch, isr, leo, high_watermark and one entry per replica, or null if this broker does not lead it.
     *     A follower's entry has id, is_leader, in_isr, and what the leader knows of it: log_start_offset, leo,
     *     last_fetch_leader_leo, last_fetch_ms, last_caught_up_ms, and where KIP-501 is supported lag_ms and pending
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
