package insync.agent.isr;

import insync.agent.weave.Hook;
import kafka.network.RequestChannel;
import kafka.server.KafkaConfig;
import net.bytebuddy.asm.Advice;
import org.apache.kafka.common.utils.Time;

/** A broker's socket server exists, and takes no request yet: with scope "request" its channel learns of it. */
public final class SocketServerStartHook extends Hook {

    public SocketServerStartHook() {
        super("kafka.network.SocketServer", "<init>", Start.class);
    }

    static final class Start {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.Argument(0) KafkaConfig config, @Advice.Argument(2) Time time,
                         @Advice.FieldValue("dataPlaneRequestChannel") RequestChannel channel) {
            RequestLife.started(config, time, (ChannelCarrier) (Object) channel);
        }
    }
}
