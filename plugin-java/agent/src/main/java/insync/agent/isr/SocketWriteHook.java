package insync.agent.isr;

import insync.agent.weave.Hook;
import insync.core.FetcherConnection;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.DynamicType;
import org.apache.kafka.common.network.NetworkSend;

/**
 * A network thread offers a response to a socket. What remains when the offer returns did not fit: until the next
 * offer the socket is the one to wait for, and so the follower that does not read from it.
 */
public final class SocketWriteHook extends Hook {
    private static final String FIELD = "insync$waitsForSocket";

    public SocketWriteHook() {
        super("org.apache.kafka.common.network.KafkaChannel", "write", Write.class);
    }

    @Override
    public DynamicType.Builder<?> shape(DynamicType.Builder<?> builder) {
        return builder.defineField(FIELD, FetcherConnection.class, Visibility.PRIVATE);
    }

    static final class Write {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.FieldValue(value = FIELD, readOnly = false) FetcherConnection waiting) {
            if (waiting != null) {
                waiting.socketOffered();
                waiting = null;
            }
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit(@Advice.FieldValue("send") NetworkSend send, @Advice.FieldValue("id") String connectionId,
                         @Advice.FieldValue(value = FIELD, readOnly = false) FetcherConnection waiting) {
            if (RequestLife.active() && send != null && !send.completed()) {
                waiting = RequestLife.socketFull(connectionId);
            }
        }
    }
}
