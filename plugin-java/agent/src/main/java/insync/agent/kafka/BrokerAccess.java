package insync.agent.kafka;

import com.yammer.metrics.core.MetricsRegistry;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import kafka.cluster.Partition;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.TopicPartition;

/** Reads a broker by types that differ from version to version; each adapter implements it. Takes no lock. */
public interface BrokerAccess {

    /** Returns the registry behind Kafka's JMX reporter. */
    MetricsRegistry metrics();

    /** Returns the partition that a fetch names by this key, as fetchMessages gets it. */
    TopicPartition partition(Object key);

    /**
     * Returns a remote replica's fetch state.
     *
     * @param replica Kafka's Replica
     * @return leo, last_caught_up_ms and last_fetch_ms
     */
    Map<String, Object> fetchState(Object replica);

    /** Returns every topic that the broker knows. */
    Collection<String> topics(ReplicaManager replicas);

    /** Returns how many partitions a topic has; 0 for one that the broker does not know. */
    int partitions(ReplicaManager replicas, String topic);

    /** Returns broker ids in the order of the assignment. */
    List<Integer> replicas(Partition partition);

    /** Returns it for a partition that has a log here. */
    long logEndOffset(Partition partition);

    /** Returns it for a partition that has a log here. */
    long highWatermark(Partition partition);

    /** Returns it for a partition that has a log here. */
    long logStartOffset(Partition partition);
}
