package insync.agent.v4_0;

import kafka.cluster.Partition;
import kafka.cluster.Replica;
import kafka.server.ReplicaManager;
import kafka.server.metadata.KRaftMetadataCache;
import org.apache.kafka.admin.BrokerMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.requests.LeaderAndIsrRequest;
import org.apache.kafka.metadata.LeaderAndIsr;
import org.apache.kafka.metadata.LeaderRecoveryState;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/** Solution 2 in 4.0: replica, log and metadata cache are Scala still. */
final class KRaftStepDown extends JavaStepDown {

    @Override
    public int[] livePeers(ReplicaManager replicas) {
        KRaftMetadataCache cache = (KRaftMetadataCache) replicas.metadataCache();
        int self = replicas.config().brokerId();
        return CollectionConverters.asJavaCollection(cache.getAliveBrokers()).stream().mapToInt(KRaftStepDown::id)
            .filter(id -> id != self && !cache.isBrokerShuttingDown(id)).toArray();
    }

    private static int id(BrokerMetadata broker) {
        return broker.id;
    }

    @Override
    public boolean isLedElsewhere(ReplicaManager replicas, TopicPartition partition, int leaderEpoch) {
        Option<LeaderAndIsr> known =
            replicas.metadataCache().getLeaderAndIsr(partition.topic(), partition.partition());
        return known.isDefined() && isLedElsewhere(known.get(), replicas, leaderEpoch);
    }

    @Override
    public boolean isInFlight(Partition partition) {
        return partition.partitionState().isInflight();
    }

    @Override
    protected LeaderRecoveryState recovery(Partition partition) {
        return partition.partitionState().leaderRecoveryState();
    }

    @Override
    public int minIsr(Partition partition) {
        return partition.localLogOrException().config().minInSyncReplicas;
    }

    @Override
    public long brokerEpoch(Object replica) {
        Option<Object> epoch = ((Replica) replica).stateSnapshot().brokerEpoch();
        return epoch.isEmpty() ? -1 : (Long) epoch.get();
    }

    @Override
    public int leaderEpoch(Object newState) {
        return ((LeaderAndIsrRequest.PartitionState) newState).leaderEpoch();
    }
}
