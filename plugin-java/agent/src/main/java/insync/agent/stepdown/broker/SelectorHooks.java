package insync.agent.stepdown.broker;

import insync.agent.weave.TypeHooks;
import java.nio.channels.Selector;
import net.bytebuddy.dynamic.DynamicType;

/** Weaves an interface into Kafka's Selector, so that other threads can list a network thread's connections. */
public final class SelectorHooks extends TypeHooks {

    public SelectorHooks() {
        super("org.apache.kafka.common.network.Selector");
    }

    @Override
    public DynamicType.Builder<?> addMembers(DynamicType.Builder<?> builder) {
        return getter(builder, "insync$nio", Selector.class, "nioSelector").implement(SelectorCarrier.class);
    }

    /** Gives access to Java's own Selector, whose set of keys any thread may read. */
    public interface SelectorCarrier {

        Selector insync$nio();
    }
}
