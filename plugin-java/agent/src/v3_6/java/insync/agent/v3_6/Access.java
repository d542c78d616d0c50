package insync.agent.v3_6;

import java.util.List;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.LeaderAndIsrRequestData.LeaderAndIsrPartitionState;
import org.apache.kafka.common.message.UpdateMetadataRequestData.UpdateMetadataPartitionState;
import scala.Option;

/** Reads elections and metadata by the messages of 3.6 to 3.9. */
public final class Access extends ScalaAccess {

    @Override
    public boolean isLedElsewhere(ReplicaManager replicas, TopicPartition partition, int leaderEpoch) {
        Option<UpdateMetadataPartitionState> known =
            replicas.metadataCache().getPartitionInfo(partition.topic(), partition.partition());
        return known.isDefined()
            && isLedElsewhere(known.get().leader(), known.get().leaderEpoch(), replicas.config().brokerId(), leaderEpoch);
    }

    @Override
    public int leader(ReplicaManager replicas, TopicPartition partition) {
        Option<UpdateMetadataPartitionState> known =
            replicas.metadataCache().getPartitionInfo(partition.topic(), partition.partition());
        return known.isDefined() ? known.get().leader() : -1;
    }

    @Override
    public List<Integer> isr(ReplicaManager replicas, TopicPartition partition) {
        Option<UpdateMetadataPartitionState> known =
            replicas.metadataCache().getPartitionInfo(partition.topic(), partition.partition());
        return known.isDefined() ? known.get().isr() : List.of();
    }

    @Override
    public int leaderEpoch(Object newState) {
        return ((LeaderAndIsrPartitionState) newState).leaderEpoch();
    }
}
