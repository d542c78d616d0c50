package insync.agent.isr;

import insync.agent.weave.Hook;
import net.bytebuddy.asm.Advice;

/** A connection is lost or closed, by either side: what its fetch held is released at once, not when it is served. */
public final class ConnectionLostHook extends Hook {

    public ConnectionLostHook() {
        super("org.apache.kafka.common.network.KafkaChannel", "disconnect", Lost.class);
    }

    static final class Lost {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.FieldValue("id") String connectionId) {
            if (RequestLife.active()) {
                RequestLife.disconnected(connectionId);
            }
        }
    }
}
