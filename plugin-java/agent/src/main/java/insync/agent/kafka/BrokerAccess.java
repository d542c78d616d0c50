package insync.agent.kafka;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import kafka.cluster.Partition;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.TopicPartition;

/** Reads a broker by types that differ between versions; each adapter implements it. Takes no lock. */
public interface BrokerAccess {

    /** Returns the partition of a key in the arguments of fetchMessages. */
    TopicPartition partition(Object key);

    /**
     * Returns a remote replica's fetch state.
     *
     * @param replica Kafka's Replica
     * @return the fields of {@link FetchState}
     */
    Map<String, Object> fetchState(Object replica);

    /** Returns every topic that the broker knows. */
    Collection<String> topics(ReplicaManager replicas);

    /** Returns how many partitions a topic has; 0 if the broker does not know it. */
    int partitions(ReplicaManager replicas, String topic);

    /** Returns the broker ids of a partition's replicas in the order of the assignment. */
    List<Integer> replicas(Partition partition);

    /** Returns the log end offset of this broker's replica. The partition must have a log here, as in the next methods. */
    long logEndOffset(Partition partition);

    /** Returns the high watermark of this broker's replica. */
    long highWatermark(Partition partition);

    /** Returns the log start offset of this broker's replica. */
    long logStartOffset(Partition partition);
}
