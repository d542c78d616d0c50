package insync.agent.v3_9;

import insync.agent.stepdown.broker.AlterPartitionManagerHooks.ControllerLink;
import insync.agent.stepdown.broker.StepDownAccess;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import kafka.api.LeaderAndIsr;
import kafka.cluster.Partition;
import kafka.cluster.Replica;
import kafka.server.ReplicaManager;
import kafka.server.TopicPartitionOperationKey;
import kafka.server.metadata.KRaftMetadataCache;
import org.apache.kafka.admin.BrokerMetadata;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.AlterPartitionRequestData.BrokerState;
import org.apache.kafka.common.message.LeaderAndIsrRequestData.LeaderAndIsrPartitionState;
import org.apache.kafka.common.message.UpdateMetadataRequestData.UpdateMetadataPartitionState;
import org.apache.kafka.common.requests.AbstractRequest;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/** Solution 2 in 3.9 with a KRaft controller: Scala, and a controller epoch that only ZooKeeper's side reads. */
final class KRaftStepDown implements StepDownAccess {
    /** What Partition passes on in KRaft mode, where it is ignored. */
    private static final int NO_CONTROLLER_EPOCH = -1;

    @Override
    public List<Class<?>> parts() {
        return List.of(ControllerChannel.class);
    }

    @Override
    public String alterPartitionManager() {
        return "kafka.server.DefaultAlterPartitionManager";
    }

    @Override
    public Class<? extends ControllerLink> link() {
        return AlterPartitionLink.class;
    }

    @Override
    public boolean isKRaft(ReplicaManager replicas) {
        return replicas.metadataCache() instanceof KRaftMetadataCache;
    }

    @Override
    public int[] livePeers(ReplicaManager replicas) {
        KRaftMetadataCache cache = (KRaftMetadataCache) replicas.metadataCache();
        int self = replicas.config().brokerId();
        return CollectionConverters.asJavaCollection(cache.getAliveBrokers()).stream().mapToInt(KRaftStepDown::id)
            .filter(id -> id != self && !cache.isBrokerShuttingDown(id)).toArray();
    }

    private static int id(BrokerMetadata broker) {
        return broker.id;
    }

    @Override
    public boolean isLedElsewhere(ReplicaManager replicas, TopicPartition partition, int leaderEpoch) {
        Option<UpdateMetadataPartitionState> known =
            replicas.metadataCache().getPartitionInfo(partition.topic(), partition.partition());
        return known.isDefined() && known.get().leaderEpoch() > leaderEpoch && known.get().leader() >= 0
            && known.get().leader() != replicas.config().brokerId();
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
        Option<Object> epoch = ((Replica) replica).stateSnapshot().brokerEpoch();
        return epoch.isEmpty() ? -1 : (Long) epoch.get();
    }

    @Override
    public int leaderEpoch(Object newState) {
        return ((LeaderAndIsrPartitionState) newState).leaderEpoch();
    }

    @Override
    public CompletableFuture<Integer> alterPartition(ControllerLink manager, Partition partition, int leaderEpoch,
            int partitionEpoch, List<BrokerState> isr) {
        int self = isr.get(isr.size() - 1).brokerId();
        LeaderAndIsr change = new LeaderAndIsr(self, leaderEpoch, partition.partitionState().leaderRecoveryState(),
            CollectionConverters.asScala(isr).toList(), partitionEpoch);
        return ((AlterPartitionLink) manager)
            .submit(new TopicIdPartition(partition.topicId().get(), partition.topicPartition()), change,
                NO_CONTROLLER_EPOCH)
            .thenApply(LeaderAndIsr::leader);
    }

    @Override
    public void send(ControllerLink manager, AbstractRequest.Builder<?> request, Consumer<ClientResponse> answered) {
        ControllerChannel.send(manager.insync$channel(), request, answered);
    }

    @Override
    public void completeProduce(ReplicaManager replicas, TopicPartition partition) {
        replicas.delayedProducePurgatory().checkAndComplete(
            new TopicPartitionOperationKey(partition.topic(), partition.partition()));
    }
}
