package insync.agent.isr;

import insync.agent.weave.TypeHooks;
import insync.core.isr.FetcherConnection;
import net.bytebuddy.asm.Advice;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.requests.RequestHeader;

/** Weaves Kafka's Request, a class that moved in 4.4: it gets the connection of a follower's fetch. */
public final class RequestHooks extends TypeHooks {
    private static final String FETCHER = "insync$fetcher";

    public RequestHooks() {
        super(moved("kafka.network.RequestChannel$Request", "org.apache.kafka.network.Request"));
        on("updateRequestMetrics", UpdateRequestMetrics.class);
        property(FETCHER, FetcherConnection.class);
        implement(RequestCarrier.class);
    }

    /** Gives access to a Request. Methods without "insync" are Kafka's own; the weave checks that they exist. */
    public interface RequestCarrier {

        /** Returns the follower's connection, or null if this is not a follower's fetch. */
        FetcherConnection insync$fetcher();

        void insync$fetcher(FetcherConnection connection);

        RequestHeader header();

        RequestContext context();

        AbstractRequest loggableRequest();

        /** Returns when the request arrived, by the broker's monotonic clock. */
        long startTimeNanos();
    }

    /**
     * Ends the leader's time for a fetch. The network thread updates the request's metrics when the last byte of the
     * response is in the socket, or when it will never be sent. Every response ends with this call.
     */
    static final class UpdateRequestMetrics {
        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit(@Advice.This Object request, @Advice.FieldValue(FETCHER) FetcherConnection connection) {
            if (connection != null) {
                connection.sent(request);
            }
        }
    }
}
