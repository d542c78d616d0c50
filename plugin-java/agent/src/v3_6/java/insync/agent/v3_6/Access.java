package insync.agent.v3_6;

import kafka.server.ReplicaManager;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.LeaderAndIsrRequestData.LeaderAndIsrPartitionState;
import org.apache.kafka.common.message.UpdateMetadataRequestData.UpdateMetadataPartitionState;
import scala.Option;

/** Reads elections and metadata by the messages of 3.6 to 3.9. */
public final class Access extends ScalaAccess {

    @Override
    public Led led(ReplicaManager replicas, TopicPartition partition) {
        Option<UpdateMetadataPartitionState> known =
            replicas.metadataCache().getPartitionInfo(partition.topic(), partition.partition());
        return known.isEmpty() ? Led.UNKNOWN : new Led(known.get().leader(), known.get().leaderEpoch(), known.get().isr());
    }

    @Override
    public int leaderEpoch(Object newState) {
        return ((LeaderAndIsrPartitionState) newState).leaderEpoch();
    }
}
