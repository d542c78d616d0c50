package insync.agent.v2_8;

import insync.agent.kafka.BrokerAccess;
import insync.agent.kafka.FetchState;
import insync.agent.kafka.FetchState.LastFetch;
import insync.agent.kafka.ScalaIds;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import kafka.cluster.Partition;
import kafka.cluster.Replica;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.TopicPartition;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/** Reads a broker of 2.8: fetches have topic names, not topic ids, and a replica's state of its last fetch is private. */
final class Access implements BrokerAccess {

    @Override
    public TopicPartition partition(Object key) {
        return (TopicPartition) key;
    }

    @Override
    public Map<String, Object> fetchState(Object replica) {
        Replica own = (Replica) replica;
        LastFetch last = (LastFetch) replica;
        return FetchState.of(own.logStartOffset(), own.logEndOffset(), last.insync$lastFetchLeaderLeo(),
            last.insync$lastFetchMs(), own.lastCaughtUpTimeMs());
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
        return ScalaIds.list(partition.assignmentState().replicas());
    }

    @Override
    public long logEndOffset(Partition partition) {
        return partition.localLogOrException().logEndOffset();
    }

    @Override
    public long highWatermark(Partition partition) {
        return partition.localLogOrException().highWatermark();
    }

    @Override
    public long logStartOffset(Partition partition) {
        return partition.localLogOrException().logStartOffset();
    }
}
