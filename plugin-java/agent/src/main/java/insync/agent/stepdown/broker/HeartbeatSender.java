package insync.agent.stepdown.broker;

import java.util.concurrent.CompletableFuture;

/** Declares the method of Kafka's BrokerLifecycleManager that we call. */
public interface HeartbeatSender {

    /** Sends a heartbeat as soon as no other is under way. The wish that it names is in force already in a running broker. */
    CompletableFuture<Void> setReadyToUnfence();
}
