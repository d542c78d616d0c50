package insync.agent.stepdown.broker;

import insync.agent.weave.TypeHooks;
import java.nio.channels.Selector;

/** Weaves an interface into Kafka's Selector, so that other threads can list a network thread's connections. */
public final class SelectorHooks extends TypeHooks {

    public SelectorHooks() {
        super("org.apache.kafka.common.network.Selector");
        getter("insync$nio", Selector.class, "nioSelector");
        implement(SelectorCarrier.class);
    }

    /** Gives access to Java's own Selector, whose set of keys any thread may read. */
    public interface SelectorCarrier {

        Selector insync$nio();
    }
}
