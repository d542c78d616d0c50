package insync.agent.v2_8;

import insync.agent.kafka.BrokerAccess;
import java.util.List;
import kafka.cluster.Partition;
import org.apache.kafka.common.TopicPartition;

/** Reads a broker of 2.8: fetches have topic names, not topic ids. */
final class Access implements BrokerAccess {

    @Override
    public TopicPartition partition(Object key) {
        return (TopicPartition) key;
    }

    @Override
    public List<Integer> replicas(Partition partition) {
        return BrokerAccess.ids(partition.assignmentState().replicas());
    }
}
