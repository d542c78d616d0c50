package insync.agent.v4_0;

import insync.agent.v3_6.ScalaAccess;
import java.util.List;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.requests.LeaderAndIsrRequest;
import org.apache.kafka.metadata.LeaderAndIsr;
import scala.Option;

/** Reads elections and metadata by the classes of 4.0. */
final class Access extends ScalaAccess {

    @Override
    public boolean isLedElsewhere(ReplicaManager replicas, TopicPartition partition, int leaderEpoch) {
        Option<LeaderAndIsr> known =
            replicas.metadataCache().getLeaderAndIsr(partition.topic(), partition.partition());
        return known.isDefined()
            && isLedElsewhere(known.get().leader(), known.get().leaderEpoch(), replicas.config().brokerId(), leaderEpoch);
    }

    @Override
    public int leader(ReplicaManager replicas, TopicPartition partition) {
        Option<LeaderAndIsr> known = replicas.metadataCache().getLeaderAndIsr(partition.topic(), partition.partition());
        return known.isDefined() ? known.get().leader() : -1;
    }

    @Override
    public List<Integer> isr(ReplicaManager replicas, TopicPartition partition) {
        Option<LeaderAndIsr> known = replicas.metadataCache().getLeaderAndIsr(partition.topic(), partition.partition());
        return known.isDefined() ? List.copyOf(known.get().isr()) : List.of();
    }

    @Override
    public int leaderEpoch(Object newState) {
        return ((LeaderAndIsrRequest.PartitionState) newState).leaderEpoch();
    }
}
