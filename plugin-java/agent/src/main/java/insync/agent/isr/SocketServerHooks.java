package insync.agent.isr;

import insync.agent.broker.Brokers;
import insync.agent.isr.RequestChannelHooks.ChannelCarrier;
import insync.agent.weave.Hook;
import insync.agent.weave.TypeHooks;
import java.util.List;
import kafka.network.RequestChannel;
import kafka.server.KafkaConfig;
import net.bytebuddy.asm.Advice;
import org.apache.kafka.common.utils.Time;

/** Weaves Kafka's SocketServer, with which scope "request" starts and stops. */
public final class SocketServerHooks extends TypeHooks {

    public SocketServerHooks() {
        super("kafka.network.SocketServer");
    }

    @Override
    public List<Hook> hooks() {
        return List.of(on("<init>", Init.class), on("shutdown", Shutdown.class));
    }

    /** Starts the scope: the socket server exists and accepts no request yet. */
    static final class Init {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.Argument(0) KafkaConfig config, @Advice.Argument(2) Time time,
                         @Advice.FieldValue("dataPlaneRequestChannel") RequestChannel channel) {
            Brokers.socketServerStarted(config, time, (ChannelCarrier) (Object) channel);
        }
    }

    /**
     * Stops the scope. Another broker with the same id may follow in this JVM, as in Kafka's own tests, with other
     * settings and another clock.
     */
    static final class Shutdown {
        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit(@Advice.FieldValue("config") KafkaConfig config) {
            Brokers.socketServerStopped(config);
        }
    }
}
