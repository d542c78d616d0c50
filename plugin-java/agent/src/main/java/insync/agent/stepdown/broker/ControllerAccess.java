package insync.agent.stepdown.broker;

import insync.agent.stepdown.broker.AlterPartitionManagerHooks.ControllerLink;
import insync.agent.weave.TypeHooks;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import kafka.cluster.Partition;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.AlterPartitionRequestData.BrokerState;
import org.apache.kafka.metadata.LeaderRecoveryState;

/** Sends a broker's requests to its controller, by types that differ between versions. No method waits. */
public interface ControllerAccess {

    /** Returns the hooks on ReplicaManager's alterPartitionManager, with an interface of those of its own methods that we call. */
    TypeHooks manager();

    /** Returns whether the broker's metadata comes from a KRaft controller; the other methods need one. */
    boolean isKRaft(ReplicaManager replicas);

    /**
     * Sends an AlterPartition through Kafka's own manager, by its rules: one change per partition at a time, with retries
     * while there is no controller.
     *
     * @param manager the broker's alterPartitionManager
     * @param isr the requested ISR, this broker last
     * @return the leader in the controller's response, or the exception of the partition's error
     */
    CompletableFuture<Integer> alterPartition(ControllerLink manager, Partition partition, int leaderEpoch,
        int partitionEpoch, List<BrokerState> isr, LeaderRecoveryState recovery);

    /** Completes the produce requests in the purgatory that wait for this partition's followers, if they can complete. */
    void completeProduce(ReplicaManager replicas, TopicPartition partition);
}
