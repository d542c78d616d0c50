package insync.agent.isr;

import insync.agent.broker.BrokerLifecycle;
import insync.agent.isr.RequestChannelHooks.ChannelCarrier;
import insync.agent.weave.TypeHooks;
import kafka.network.RequestChannel;
import kafka.server.KafkaConfig;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import org.apache.kafka.common.message.ApiMessageType.ListenerType;
import org.apache.kafka.common.utils.Time;

/** Weaves Kafka's SocketServer, to start and stop scope "request" with it. */
public final class SocketServerHooks extends TypeHooks {
    private static final String VERSIONS = "apiVersionManager";

    public SocketServerHooks() {
        super("kafka.network.SocketServer");
        on("<init>", Init.class);
        on("shutdown", Shutdown.class);
    }

    /** Returns the hooks on Kafka's ApiVersionManager, which moved in 4.1. */
    public static TypeHooks apiVersions() {
        return new TypeHooks(moved("kafka.server.ApiVersionManager", "org.apache.kafka.server.ApiVersionManager"))
            .implement(Listener.class);
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

    /** Starts the scope when a broker's SocketServer exists and does not accept requests yet. */
    static final class Init {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.Argument(0) KafkaConfig config, @Advice.Argument(2) Time time,
                         @Advice.FieldValue(value = VERSIONS, typing = Assigner.Typing.DYNAMIC) Object apiVersions,
                         @Advice.FieldValue("dataPlaneRequestChannel") RequestChannel channel) {
            if (!isControllers(apiVersions)) {
                BrokerLifecycle.of(config).socketServerStarted(config, time, (ChannelCarrier) (Object) channel);
            }
        }
    }

    /**
     * Stops the scope. In Kafka's own tests another broker with the same id, other settings and another clock may start in
     * this JVM.
     */
    static final class Shutdown {
        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit(@Advice.FieldValue("config") KafkaConfig config,
                         @Advice.FieldValue(value = VERSIONS, typing = Assigner.Typing.DYNAMIC) Object apiVersions) {
            if (!isControllers(apiVersions)) {
                BrokerLifecycle.of(config).socketServerStopped();
            }
        }
    }
}
