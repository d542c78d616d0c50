package insync.agent.kafka;

import insync.agent.weave.Hook;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.matcher.ElementMatchers;

/** A connection is lost or closed, by either side: what its fetch held is released at once, not when it is served. */
public final class ConnectionLostHook extends Hook {

    public ConnectionLostHook() {
        super("org.apache.kafka.common.network.KafkaChannel", "disconnect");
    }

    @Override
    public ElementMatcher<MethodDescription> methods() {
        return ElementMatchers.named("disconnect");
    }

    @Override
    public Class<?> advice() {
        return Lost.class;
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
