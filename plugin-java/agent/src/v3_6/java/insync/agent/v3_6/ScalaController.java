package insync.agent.v3_6;

import insync.agent.stepdown.broker.AlterPartitionManagerHooks;
import insync.agent.stepdown.broker.AlterPartitionManagerHooks.ControllerLink;
import insync.agent.stepdown.broker.ControllerAccess;
import insync.agent.weave.TypeHooks;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import kafka.api.LeaderAndIsr;
import kafka.cluster.Partition;
import kafka.server.ReplicaManager;
import kafka.server.TopicPartitionOperationKey;
import kafka.server.metadata.KRaftMetadataCache;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.AlterPartitionRequestData.BrokerState;
import org.apache.kafka.metadata.LeaderRecoveryState;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Sends requests to a KRaft controller in 3.6 to 3.9, by Scala classes; only ZooKeeper mode reads the controller epoch.
 */
public final class ScalaController implements ControllerAccess {
    /** The value that Partition passes in KRaft mode, where it is ignored. */
    private static final int NO_CONTROLLER_EPOCH = -1;

    @Override
    public TypeHooks manager() {
        return new AlterPartitionManagerHooks("kafka.server.DefaultAlterPartitionManager", AlterPartitionLink.class);
    }

    @Override
    public boolean isKRaft(ReplicaManager replicas) {
        return replicas.metadataCache() instanceof KRaftMetadataCache;
    }

    @Override
    public CompletableFuture<Integer> alterPartition(ControllerLink manager, Partition partition, int leaderEpoch,
            int partitionEpoch, List<BrokerState> isr, LeaderRecoveryState recovery) {
        int self = isr.get(isr.size() - 1).brokerId();
        LeaderAndIsr change = new LeaderAndIsr(self, leaderEpoch, recovery, CollectionConverters.asScala(isr).toList(),
            partitionEpoch);
        return ((AlterPartitionLink) manager)
            .submit(new TopicIdPartition(partition.topicId().get(), partition.topicPartition()), change,
                NO_CONTROLLER_EPOCH)
            .thenApply(LeaderAndIsr::leader);
    }

    @Override
    public void completeProduce(ReplicaManager replicas, TopicPartition partition) {
        replicas.delayedProducePurgatory().checkAndComplete(
            new TopicPartitionOperationKey(partition.topic(), partition.partition()));
    }

    /** Declares the method of Kafka's DefaultAlterPartitionManager that we call. */
    public interface AlterPartitionLink extends ControllerLink {

        CompletableFuture<LeaderAndIsr> submit(TopicIdPartition partition, LeaderAndIsr change, int controllerEpoch);
    }
}
