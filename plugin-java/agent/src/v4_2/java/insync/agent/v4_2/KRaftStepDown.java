package insync.agent.v4_2;

import insync.agent.kafka.Moved;
import insync.agent.kafka.stepdown.ControllerLink;
import insync.agent.kafka.stepdown.StepDownAccess;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import kafka.cluster.Partition;
import kafka.server.ReplicaManager;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.AlterPartitionRequestData.BrokerState;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.metadata.LeaderAndIsr;
import org.apache.kafka.metadata.MetadataCache;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.server.common.ControllerRequestCompletionHandler;
import org.apache.kafka.server.common.NodeToControllerChannelManager;
import org.apache.kafka.server.common.TopicIdPartition;
import org.apache.kafka.server.purgatory.TopicPartitionOperationKey;
import org.apache.kafka.server.replica.Replica;

/** Solution 2 from 4.2 on, where all that it needs is Java. */
final class KRaftStepDown implements StepDownAccess {

    @Override
    public String alterPartitionManager() {
        return Moved.to("kafka.server.DefaultAlterPartitionManager",
            "org.apache.kafka.server.partition.DefaultAlterPartitionManager");
    }

    @Override
    public Class<? extends ControllerLink> link() {
        return AlterPartitionLink.class;
    }

    /** There is nothing else. */
    @Override
    public boolean isKRaft(ReplicaManager replicas) {
        return true;
    }

    @Override
    public int[] livePeers(ReplicaManager replicas) {
        MetadataCache cache = replicas.metadataCache();
        int self = replicas.config().brokerId();
        return cache.getAliveBrokerNodes(replicas.config().interBrokerListenerName()).stream()
            .mapToInt(node -> node.id()).filter(id -> id != self && !cache.isBrokerShuttingDown(id)).toArray();
    }

    @Override
    public boolean isLedElsewhere(ReplicaManager replicas, TopicPartition partition, int leaderEpoch) {
        return replicas.metadataCache().getLeaderAndIsr(partition.topic(), partition.partition())
            .filter(now -> now.leaderEpoch() > leaderEpoch && now.leader() >= 0
                && now.leader() != replicas.config().brokerId())
            .isPresent();
    }

    @Override
    public boolean isInFlight(Partition partition) {
        return partition.partitionState().isInflight();
    }

    @Override
    public int minIsr(Partition partition) {
        return partition.localLogOrException().config().minInSyncReplicas;
    }

    @Override
    public long brokerEpoch(Object replica) {
        return ((Replica) replica).stateSnapshot().brokerEpoch().orElse(-1L);
    }

    @Override
    public int leaderEpoch(Object newState) {
        return ((PartitionRegistration) newState).leaderEpoch;
    }

    @Override
    public CompletableFuture<Integer> alterPartition(ControllerLink manager, Partition partition, int leaderEpoch,
            int partitionEpoch, List<BrokerState> isr) {
        int self = isr.get(isr.size() - 1).brokerId();
        LeaderAndIsr change = new LeaderAndIsr(self, leaderEpoch, partition.partitionState().leaderRecoveryState(), isr,
            partitionEpoch);
        return ((AlterPartitionLink) manager)
            .submit(new TopicIdPartition(partition.topicId().get(), partition.partitionId()), change)
            .thenApply(LeaderAndIsr::leader);
    }

    @Override
    public void send(ControllerLink manager, AbstractRequest.Builder<?> request, Consumer<ClientResponse> answered) {
        ((NodeToControllerChannelManager) manager.insync$channel()).sendRequest(request,
            new ControllerRequestCompletionHandler() {
                @Override
                public void onComplete(ClientResponse response) {
                    answered.accept(response);
                }

                @Override
                public void onTimeout() {
                    answered.accept(null);
                }
            });
    }

    @Override
    public void completeProduce(ReplicaManager replicas, TopicPartition partition) {
        replicas.delayedProducePurgatory().checkAndComplete(new TopicPartitionOperationKey(partition));
    }
}
