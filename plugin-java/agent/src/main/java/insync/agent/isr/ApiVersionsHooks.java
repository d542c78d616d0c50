package insync.agent.isr;

import insync.agent.adapter.MovedClass;
import insync.agent.weave.TypeHooks;
import net.bytebuddy.dynamic.DynamicType;
import org.apache.kafka.common.message.ApiMessageType.ListenerType;

/** Weaves an interface into Kafka's ApiVersionManager, which moved in 4.1. */
public final class ApiVersionsHooks extends TypeHooks {

    public ApiVersionsHooks() {
        super(MovedClass.to("kafka.server.ApiVersionManager", "org.apache.kafka.server.ApiVersionManager"));
    }

    @Override
    public DynamicType.Builder<?> addMembers(DynamicType.Builder<?> builder) {
        return builder.implement(Listener.class);
    }

    /** Returns whether a SocketServer is a controller's. In combined mode a process has one with the broker's id, too. */
    public static boolean isControllers(Object apiVersions) {
        return ((Listener) apiVersions).listenerType() == ListenerType.CONTROLLER;
    }

    /** Gives access to the requests that a listener takes. */
    public interface Listener {
        /** Kafka's own method. */
        ListenerType listenerType();
    }
}
