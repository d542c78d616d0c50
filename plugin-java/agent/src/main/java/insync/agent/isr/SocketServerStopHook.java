package insync.agent.isr;

import insync.agent.weave.Hook;
import kafka.server.KafkaConfig;
import net.bytebuddy.asm.Advice;

/**
 * A broker's socket server has stopped: its scope "request" goes with it. Another broker with the same id may
 * follow in this JVM, as in Kafka's own tests, with other settings and another clock.
 */
public final class SocketServerStopHook extends Hook {

    public SocketServerStopHook() {
        super("kafka.network.SocketServer", "shutdown", Stop.class);
    }

    static final class Stop {
        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit(@Advice.FieldValue("config") KafkaConfig config) {
            RequestLife.stopped(config);
        }
    }
}
