package insync.agent.stepdown.broker;

import insync.agent.stepdown.broker.AlterPartitionManagerHooks.ControllerLink;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import kafka.cluster.Partition;
import kafka.server.ReplicaManager;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.AlterPartitionRequestData.BrokerState;
import org.apache.kafka.common.requests.AbstractRequest;

/**
 * What stepping down needs of a broker by types that differ from version to version; an adapter whose version can brings
 * one. Nothing here waits, nor takes leaderIsrUpdateLock.
 */
public interface StepDownAccess {

    /** Further classes of the adapter that refer to the broker's, for the weave check. */
    default List<Class<?>> parts() {
        return List.of();
    }

    /** The class behind ReplicaManager's alterPartitionManager. */
    String alterPartitionManager();

    /** The interface that this class gets, with the methods of its own that are called. */
    Class<? extends ControllerLink> link();

    /** Whether the broker's metadata comes from a KRaft controller, without which nothing here works. */
    boolean isKRaft(ReplicaManager replicas);

    /** The other brokers that are live, unfenced and not shutting down. */
    int[] livePeers(ReplicaManager replicas);

    /** Whether the broker's metadata names another broker as the partition's leader, in a later epoch than that one. */
    boolean isLedElsewhere(ReplicaManager replicas, TopicPartition partition, int leaderEpoch);

    /** Whether an ISR change of the partition waits for the controller. */
    boolean isInFlight(Partition partition);

    /** min.insync.replicas of a partition that has its log here. */
    int minIsr(Partition partition);

    /** The follower's broker epoch as its last fetch had it, or -1. */
    long brokerEpoch(Object replica);

    /** The leader epoch of what makeFollower is given as its first argument. */
    int leaderEpoch(Object newState);

    /**
     * Sends an AlterPartition by Kafka's own manager, with its rules: one change per partition at a time, retried while
     * there is no controller.
     *
     * @param manager the broker's alterPartitionManager
     * @return the leader that the controller answers, or the exception of the partition's error
     */
    CompletableFuture<Integer> alterPartition(ControllerLink manager, Partition partition, int leaderEpoch,
        int partitionEpoch, List<BrokerState> isr);

    /**
     * Sends any request to the controller over the channel of that manager.
     *
     * @param answered with the response, once, on the channel's thread
     */
    void send(ControllerLink manager, AbstractRequest.Builder<?> request, Consumer<ClientResponse> answered);

    /** Looks at the produce requests that wait for this partition's followers. */
    void completeProduce(ReplicaManager replicas, TopicPartition partition);
}
