package insync.agent.v3_9;

import insync.agent.stepdown.broker.AlterPartitionManagerHooks.ControllerLink;
import java.util.concurrent.CompletableFuture;
import kafka.api.LeaderAndIsr;
import org.apache.kafka.common.TopicIdPartition;

/** Kafka's DefaultAlterPartitionManager by its own method. */
public interface AlterPartitionLink extends ControllerLink {

    CompletableFuture<LeaderAndIsr> submit(TopicIdPartition partition, LeaderAndIsr change, int controllerEpoch);
}
