package insync.agent.isr;

import insync.agent.broker.Brokers;
import insync.agent.weave.TypeHooks;
import insync.core.isr.FetcherConnection;
import net.bytebuddy.asm.Advice;
import org.apache.kafka.common.network.NetworkSend;

/** Weaves Kafka's KafkaChannel, a network thread's end of one connection. */
public final class KafkaChannelHooks extends TypeHooks {
    private static final String WAITS_FOR_SOCKET = "insync$waitsForSocket";

    public KafkaChannelHooks() {
        super("org.apache.kafka.common.network.KafkaChannel");
        on("write", Write.class);
        on("disconnect", Lost.class);
        on("close", Lost.class);
        field(WAITS_FOR_SOCKET, FetcherConnection.class);
    }

    /**
     * Notes whether the socket took all of a response. If not, the time until the next write is charged to the follower,
     * because it does not read from the socket.
     */
    static final class Write {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.FieldValue(value = WAITS_FOR_SOCKET, readOnly = false) FetcherConnection waiting) {
            if (waiting != null) {
                waiting.socketOffered();
                waiting = null;
            }
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit(@Advice.FieldValue("send") NetworkSend send, @Advice.FieldValue("id") String connectionId,
                         @Advice.FieldValue(value = WAITS_FOR_SOCKET, readOnly = false) FetcherConnection waiting) {
            if (Brokers.anyRequestScope() && send != null && !send.completed()) {
                waiting = RequestSteps.socketFull(connectionId);
            }
        }
    }

    /**
     * Releases at once the pending fetch of a connection that is lost or closed, by either side. Kafka may read further requests
     * of one that it has disconnected, until it closes it.
     */
    static final class Lost {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.FieldValue("id") String connectionId) {
            if (Brokers.anyRequestScope()) {
                RequestSteps.disconnected(connectionId);
            }
            if (Brokers.anyReadScope()) {
                ReadConnections.disconnected(connectionId);
            }
        }
    }
}
