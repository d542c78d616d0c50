package insync.agent.v4_1;

import insync.agent.kafka.BrokerAccess;
import java.util.List;
import java.util.Optional;
import kafka.cluster.Partition;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.requests.LeaderAndIsrRequest;
import org.apache.kafka.metadata.LeaderAndIsr;
import org.apache.kafka.metadata.LeaderRecoveryState;

/** Reads a partition's assignment and state, which are Scala classes in 4.1, and elections by the request of 4.0. */
final class Access extends JavaAccess {

    @Override
    public List<Integer> replicas(Partition partition) {
        return BrokerAccess.ids(partition.assignmentState().replicas());
    }

    @Override
    public boolean isInFlight(Partition partition) {
        return partition.partitionState().isInflight();
    }

    @Override
    public LeaderRecoveryState recovery(Partition partition) {
        return partition.partitionState().leaderRecoveryState();
    }

    @Override
    public Led led(ReplicaManager replicas, TopicPartition partition) {
        Optional<LeaderAndIsr> known = replicas.metadataCache().getLeaderAndIsr(partition.topic(), partition.partition());
        return known.map(now -> new Led(now.leader(), now.leaderEpoch(), now.isr())).orElse(Led.UNKNOWN);
    }

    @Override
    public int leaderEpoch(Object newState) {
        return ((LeaderAndIsrRequest.PartitionState) newState).leaderEpoch();
    }
}
