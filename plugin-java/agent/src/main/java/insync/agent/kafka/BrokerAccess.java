package insync.agent.kafka;

import com.yammer.metrics.core.MetricsRegistry;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import kafka.cluster.Partition;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.TopicPartition;

/**
 * What must be read from a broker by types that differ from version to version; each adapter brings one.
 * Reads only, takes no lock.
 */
public interface BrokerAccess {

    /** The registry behind Kafka's JMX reporter. */
    MetricsRegistry metrics();

    /** The partition that a fetch names by this key, as fetchMessages gets it. */
    TopicPartition partition(Object key);

    /**
     * A remote replica's fetch state.
     *
     * @param replica Kafka's Replica
     * @return leo, last_caught_up_ms and last_fetch_ms
     */
    Map<String, Object> fetchState(Object replica);

    /** Every topic that the broker knows of. */
    Collection<String> topics(ReplicaManager replicas);

    /** How many partitions a topic has; 0 for one that the broker does not know. */
    int partitions(ReplicaManager replicas, String topic);

    /** Broker ids in the order of the assignment. */
    List<Integer> replicas(Partition partition);

    /** Of a partition that has a log here. */
    long logEndOffset(Partition partition);

    /** Of a partition that has a log here. */
    long highWatermark(Partition partition);

    /** Of a partition that has a log here. */
    long logStartOffset(Partition partition);
}
