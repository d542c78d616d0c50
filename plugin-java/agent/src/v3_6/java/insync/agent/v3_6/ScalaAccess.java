package insync.agent.v3_6;

import insync.agent.kafka.BrokerAccess;
import insync.agent.stepdown.broker.StepDownAccess;
import java.util.List;
import kafka.cluster.Partition;
import kafka.cluster.Replica;
import kafka.server.ReplicaManager;
import kafka.server.metadata.KRaftMetadataCache;
import org.apache.kafka.admin.BrokerMetadata;
import org.apache.kafka.metadata.LeaderRecoveryState;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/** Reads replica, log, assignment and metadata cache from 3.6 to 4.0, where they are Scala classes. */
public abstract class ScalaAccess implements StepDownAccess {

    @Override
    public final List<Integer> replicas(Partition partition) {
        return BrokerAccess.ids(partition.assignmentState().replicas());
    }

    @Override
    public final long highWatermark(Partition partition) {
        return partition.localLogOrException().highWatermark();
    }

    @Override
    public final int[] livePeers(ReplicaManager replicas) {
        KRaftMetadataCache cache = (KRaftMetadataCache) replicas.metadataCache();
        int self = replicas.config().brokerId();
        return CollectionConverters.asJavaCollection(cache.getAliveBrokers()).stream().mapToInt(ScalaAccess::id)
            .filter(id -> id != self && !cache.isBrokerShuttingDown(id)).toArray();
    }

    private static int id(BrokerMetadata broker) {
        return broker.id;
    }

    @Override
    public final boolean isInFlight(Partition partition) {
        return partition.partitionState().isInflight();
    }

    @Override
    public final LeaderRecoveryState recovery(Partition partition) {
        return partition.partitionState().leaderRecoveryState();
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
        Option<Object> epoch = ((Replica) replica).stateSnapshot().brokerEpoch();
        return epoch.isEmpty() ? -1 : (Long) epoch.get();
    }
}
