package insync.agent.v4_0;

import insync.agent.adapter.Moved;
import insync.agent.stepdown.broker.AlterPartitionManagerHooks.ControllerLink;
import insync.agent.stepdown.broker.StepDownAccess;
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
import org.apache.kafka.metadata.LeaderRecoveryState;
import org.apache.kafka.server.common.ControllerRequestCompletionHandler;
import org.apache.kafka.server.common.NodeToControllerChannelManager;
import org.apache.kafka.server.common.TopicIdPartition;
import org.apache.kafka.server.purgatory.TopicPartitionOperationKey;

/** What solution 2 needs from 4.0 on, where the way to the controller is Java and there is no other one than KRaft's. */
public abstract class JavaStepDown implements StepDownAccess {

    /** Of a type that became Java with 4.2. */
    protected abstract LeaderRecoveryState recovery(Partition partition);

    @Override
    public final String alterPartitionManager() {
        return Moved.to("kafka.server.DefaultAlterPartitionManager",
            "org.apache.kafka.server.partition.DefaultAlterPartitionManager");
    }

    @Override
    public final Class<? extends ControllerLink> link() {
        return AlterPartitionLink.class;
    }

    @Override
    public final boolean isKRaft(ReplicaManager replicas) {
        return true;
    }

    @Override
    public final CompletableFuture<Integer> alterPartition(ControllerLink manager, Partition partition, int leaderEpoch,
            int partitionEpoch, List<BrokerState> isr) {
        int self = isr.get(isr.size() - 1).brokerId();
        LeaderAndIsr change = new LeaderAndIsr(self, leaderEpoch, recovery(partition), isr, partitionEpoch);
        return ((AlterPartitionLink) manager)
            .submit(new TopicIdPartition(partition.topicId().get(), partition.partitionId()), change)
            .thenApply(LeaderAndIsr::leader);
    }

    @Override
    public final void send(ControllerLink manager, AbstractRequest.Builder<?> request,
            Consumer<ClientResponse> answered) {
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
    public final void completeProduce(ReplicaManager replicas, TopicPartition partition) {
        replicas.delayedProducePurgatory().checkAndComplete(new TopicPartitionOperationKey(partition));
    }

    /** Whether what the metadata says of a partition is that another broker leads it, in a later epoch than that one. */
    protected static boolean isLedElsewhere(LeaderAndIsr now, ReplicaManager replicas, int leaderEpoch) {
        return now.leaderEpoch() > leaderEpoch && now.leader() >= 0 && now.leader() != replicas.config().brokerId();
    }
}
