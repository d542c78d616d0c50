package insync.agent.v4_1;

import insync.agent.stepdown.broker.StepDownAccess;
import kafka.cluster.Partition;
import kafka.server.ReplicaManager;
import org.apache.kafka.metadata.MetadataCache;
import org.apache.kafka.server.replica.Replica;

/** Reads replica, log and metadata cache from 4.1 on, where they are Java classes. */
public abstract class JavaAccess implements StepDownAccess {

    @Override
    public final long highWatermark(Partition partition) {
        return partition.localLogOrException().highWatermark();
    }

    @Override
    public final int[] livePeers(ReplicaManager replicas) {
        MetadataCache cache = replicas.metadataCache();
        int self = replicas.config().brokerId();
        return cache.getAliveBrokerNodes(replicas.config().interBrokerListenerName()).stream()
            .mapToInt(node -> node.id()).filter(id -> id != self && !cache.isBrokerShuttingDown(id)).toArray();
    }

    @Override
    public final int minIsr(Partition partition) {
        return partition.localLogOrException().config().minInSyncReplicas;
    }

    @Override
    public final long leo(Object replica) {
        return ((Replica) replica).stateSnapshot().logEndOffset();
    }

    @Override
    public final long brokerEpoch(Object replica) {
        return ((Replica) replica).stateSnapshot().brokerEpoch().orElse(-1L);
    }
}
