package insync.agent.kafka.stepdown;

/** Woven into Kafka's DefaultAlterPartitionManager, a class that moved with 4.4: the channel that it sends on. */
public interface ControllerLink {

    /** Kafka's NodeToControllerChannelManager. */
    Object insync$channel();
}
