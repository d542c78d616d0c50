package insync.agent.stepdown.broker;

import insync.agent.weave.TypeHooks;
import java.util.concurrent.BlockingQueue;
import net.bytebuddy.dynamic.DynamicType;

/** Weaves an interface into Kafka's Processor, the work of one network thread, to find its connections. */
public final class ProcessorHooks extends TypeHooks {

    public ProcessorHooks() {
        super("kafka.network.Processor");
    }

    @Override
    public DynamicType.Builder<?> addMembers(DynamicType.Builder<?> builder) {
        DynamicType.Builder<?> readable = getter(builder.implement(ProcessorCarrier.class),
            "insync$thread", Object.class, "thread");
        return getter(getter(readable, "insync$selector", Object.class, "selector"),
            "insync$accepted", BlockingQueue.class, "newConnections");
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
}
