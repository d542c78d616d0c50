package insync.agent.broker;

import java.util.concurrent.CompletableFuture;
import kafka.cluster.Partition;
import kafka.server.KafkaConfig;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;

/** What a broker's step-down learns from the advices. By default it does nothing. */
public interface StepDown {

    default void leading(Partition partition) { }

    /**
     * Notes that the broker is about to become a follower of a partition.
     *
     * @param leaderEpoch the partition's present leader epoch
     * @param newState the first argument of makeFollower
     */
    default void losing(Partition partition, int leaderEpoch, Object newState) { }

    /** Returns whether the broker led a partition until now, and knows that another one does. */
    default boolean isOver(TopicPartition partition) {
        return false;
    }

    default void readFailed(Partition partition) { }

    /** Returns whether a slow append makes the broker step down. */
    default boolean timesAppends() {
        return false;
    }

    /** Takes the values of configs that were updated. */
    default void reconfigure(KafkaConfig config) { }

    default void stop() { }

    /** Adds to a heartbeat whether the broker asks to be fenced. */
    default void wish(BrokerHeartbeatRequestData heartbeat) { }

    /** Takes the answer to a heartbeat. */
    default void answered(ClientResponse answer) { }

    /** Declares the method of Kafka's BrokerLifecycleManager that we call. */
    interface HeartbeatSender {
        /** Sends a heartbeat as soon as no other is under way. The wish that it names is in force already in a running broker. */
        CompletableFuture<Void> setReadyToUnfence();
    }
}
