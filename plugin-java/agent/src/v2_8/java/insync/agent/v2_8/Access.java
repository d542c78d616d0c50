package insync.agent.v2_8;

import insync.agent.kafka.BrokerAccess;
import java.util.Collection;
import java.util.List;
import kafka.cluster.Partition;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.TopicPartition;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/** Reads a broker of 2.8: fetches have topic names, not topic ids. */
final class Access implements BrokerAccess {

    @Override
    public TopicPartition partition(Object key) {
        return (TopicPartition) key;
    }

    @Override
    public Collection<String> topics(ReplicaManager replicas) {
        return CollectionConverters.asJavaCollection(replicas.metadataCache().getAllTopics());
    }

    @Override
    public int partitions(ReplicaManager replicas, String topic) {
        Option<Object> known = replicas.metadataCache().numPartitions(topic);
        return known.isEmpty() ? 0 : (Integer) known.get();
    }

    @Override
    public List<Integer> replicas(Partition partition) {
        return BrokerAccess.ids(partition.assignmentState().replicas());
    }
}
