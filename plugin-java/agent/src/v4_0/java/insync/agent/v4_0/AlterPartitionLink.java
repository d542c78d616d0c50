package insync.agent.v4_0;

import insync.agent.stepdown.broker.AlterPartitionManagerHooks.ControllerLink;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.metadata.LeaderAndIsr;
import org.apache.kafka.server.common.TopicIdPartition;

/** Kafka's DefaultAlterPartitionManager, which moved with 4.4, by the method that it has in all versions from 4.0 on. */
public interface AlterPartitionLink extends ControllerLink {

    CompletableFuture<LeaderAndIsr> submit(TopicIdPartition partition, LeaderAndIsr change);
}
