package insync.agent.isr;

import insync.agent.broker.BrokerLifecycle;
import insync.agent.isr.RequestChannelHooks.ChannelCarrier;
import insync.agent.weave.Hook;
import insync.agent.weave.TypeHooks;
import java.util.List;
import kafka.network.RequestChannel;
import kafka.server.KafkaConfig;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import org.apache.kafka.common.utils.Time;

/** Weaves Kafka's SocketServer, to start and stop scope "request" with it. */
public final class SocketServerHooks extends TypeHooks {
    private static final String VERSIONS = "apiVersionManager";

    public SocketServerHooks() {
        super("kafka.network.SocketServer");
    }

    @Override
    public List<Hook> hooks() {
        return List.of(on("<init>", Init.class), on("shutdown", Shutdown.class));
    }

    /** Starts the scope when a broker's SocketServer exists and does not accept requests yet. */
    static final class Init {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.Argument(0) KafkaConfig config, @Advice.Argument(2) Time time,
                         @Advice.FieldValue(value = VERSIONS, typing = Assigner.Typing.DYNAMIC) Object apiVersions,
                         @Advice.FieldValue("dataPlaneRequestChannel") RequestChannel channel) {
            if (!ApiVersionsHooks.isControllers(apiVersions)) {
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
            if (!ApiVersionsHooks.isControllers(apiVersions)) {
                BrokerLifecycle.of(config).socketServerStopped();
            }
        }
    }
}
