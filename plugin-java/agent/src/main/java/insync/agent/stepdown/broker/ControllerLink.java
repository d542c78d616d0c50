package insync.agent.stepdown.broker;

import java.util.concurrent.atomic.AtomicBoolean;

/** Woven into Kafka's DefaultAlterPartitionManager, a class that moved with 4.4. */
public interface ControllerLink {

    /** Kafka's NodeToControllerChannelManager: the channel that it sends on. */
    Object insync$channel();

    /** Whether a request of its own is under way; what is submitted then waits, and goes with the next one. */
    AtomicBoolean insync$inFlight();

    /** Sends what waits, unless a request is under way. */
    void insync$propagate();
}
