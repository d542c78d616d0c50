package insync.agent.stepdown.broker;

import insync.agent.weave.TypeHooks;
import java.nio.channels.Selector;
import java.util.concurrent.BlockingQueue;

/** Weaves an interface into Kafka's Processor, the work of one network thread, to find its connections. */
public final class ProcessorHooks extends TypeHooks {

    public ProcessorHooks() {
        super("kafka.network.Processor");
        getter("insync$thread", Object.class, "thread");
        getter("insync$selector", Object.class, "selector");
        getter("insync$accepted", BlockingQueue.class, "newConnections");
        implement(ProcessorCarrier.class);
    }

    /** Returns the hooks on Kafka's Selector, so that other threads can list a network thread's connections. */
    public static TypeHooks selector() {
        return new TypeHooks("org.apache.kafka.common.network.Selector").getter("insync$nio", Selector.class, "nioSelector")
            .implement(SelectorCarrier.class);
    }

    /** Gives access to a Processor's thread and connections. */
    public interface ProcessorCarrier {

        /** Kafka's own method. */
        int id();

        /** Returns its thread, whose class moved in 4.4. */
        Object insync$thread();

        /** Returns its org.apache.kafka.common.network.Selector. */
        Object insync$selector();

        /** Returns the accepted connections that it has not registered yet. */
        BlockingQueue<?> insync$accepted();
    }

    /** Gives access to Java's own Selector, whose set of keys any thread may read. */
    public interface SelectorCarrier {

        Selector insync$nio();
    }
}
