package insync.agent.stepdown.broker;

import java.util.concurrent.BlockingQueue;

/** Woven into Kafka's Processor, the work of one network thread. */
public interface ProcessorCarrier {

    /** By itself in every version. */
    int id();

    /** Its thread, of a class that moved with 4.4. */
    Object insync$thread();

    /** Its org.apache.kafka.common.network.Selector. */
    Object insync$selector();

    /** Connections that are accepted, and that it has not looked at yet. */
    BlockingQueue<?> insync$accepted();
}
