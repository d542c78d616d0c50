package insync.agent.v4_0;

import insync.agent.stepdown.broker.AlterPartitionManagerHooks;
import insync.agent.stepdown.broker.AlterPartitionManagerHooks.ControllerLink;
import insync.agent.stepdown.broker.ControllerAccess;
import insync.agent.weave.TypeHooks;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import kafka.cluster.Partition;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.AlterPartitionRequestData.BrokerState;
import org.apache.kafka.metadata.LeaderAndIsr;
import org.apache.kafka.metadata.LeaderRecoveryState;
import org.apache.kafka.server.common.TopicIdPartition;
import org.apache.kafka.server.purgatory.TopicPartitionOperationKey;

/** Sends requests to the controller from 4.0 on, where the classes are Java and KRaft is the only mode. */
public final class JavaController implements ControllerAccess {

    @Override
    public TypeHooks manager() {
        return new AlterPartitionManagerHooks(TypeHooks.moved("kafka.server.DefaultAlterPartitionManager",
            "org.apache.kafka.server.partition.DefaultAlterPartitionManager"), AlterPartitionLink.class);
    }

    @Override
    public boolean isKRaft(ReplicaManager replicas) {
        return true;
    }

    @Override
    public CompletableFuture<Integer> alterPartition(ControllerLink manager, Partition partition, int leaderEpoch,
            int partitionEpoch, List<BrokerState> isr, LeaderRecoveryState recovery) {
        int self = isr.get(isr.size() - 1).brokerId();
        LeaderAndIsr change = new LeaderAndIsr(self, leaderEpoch, recovery, isr, partitionEpoch);
        return ((AlterPartitionLink) manager)
            .submit(new TopicIdPartition(partition.topicId().get(), partition.partitionId()), change)
            .thenApply(LeaderAndIsr::leader);
    }

    @Override
    public void completeProduce(ReplicaManager replicas, TopicPartition partition) {
        replicas.delayedProducePurgatory().checkAndComplete(new TopicPartitionOperationKey(partition));
    }

    /**
     * Declares the method of Kafka's DefaultAlterPartitionManager that we call. The class moved in 4.4; the method is the
     * same from 4.0 on.
     */
    public interface AlterPartitionLink extends ControllerLink {

        CompletableFuture<LeaderAndIsr> submit(TopicIdPartition partition, LeaderAndIsr change);
    }
}
