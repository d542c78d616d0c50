package insync.agent.v4_1;

import insync.agent.v4_0.JavaStepDown;
import kafka.cluster.Partition;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.metadata.MetadataCache;
import org.apache.kafka.server.replica.Replica;

/** What solution 2 needs from 4.1 on, where replica, log and metadata cache are Java. */
public abstract class JavaCacheStepDown extends JavaStepDown {

    @Override
    public final int[] livePeers(ReplicaManager replicas) {
        MetadataCache cache = replicas.metadataCache();
        int self = replicas.config().brokerId();
        return cache.getAliveBrokerNodes(replicas.config().interBrokerListenerName()).stream()
            .mapToInt(node -> node.id()).filter(id -> id != self && !cache.isBrokerShuttingDown(id)).toArray();
    }

    @Override
    public final boolean isLedElsewhere(ReplicaManager replicas, TopicPartition partition, int leaderEpoch) {
        return replicas.metadataCache().getLeaderAndIsr(partition.topic(), partition.partition())
            .filter(now -> isLedElsewhere(now, replicas, leaderEpoch)).isPresent();
    }

    @Override
    public final int minIsr(Partition partition) {
        return partition.localLogOrException().config().minInSyncReplicas;
    }

    @Override
    public final long brokerEpoch(Object replica) {
        return ((Replica) replica).stateSnapshot().brokerEpoch().orElse(-1L);
    }
}
