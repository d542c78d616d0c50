package insync.agent.v4_0;

import insync.agent.v3_6.ScalaAccess;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.requests.LeaderAndIsrRequest;
import org.apache.kafka.metadata.LeaderAndIsr;
import scala.Option;

/** Reads elections and metadata by the classes of 4.0. */
final class Access extends ScalaAccess {

    @Override
    public Led led(ReplicaManager replicas, TopicPartition partition) {
        Option<LeaderAndIsr> known = replicas.metadataCache().getLeaderAndIsr(partition.topic(), partition.partition());
        return known.isEmpty() ? Led.UNKNOWN : new Led(known.get().leader(), known.get().leaderEpoch(), known.get().isr());
    }

    @Override
    public int leaderEpoch(Object newState) {
        return ((LeaderAndIsrRequest.PartitionState) newState).leaderEpoch();
    }
}
