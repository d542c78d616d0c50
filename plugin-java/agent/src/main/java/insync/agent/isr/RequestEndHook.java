package insync.agent.isr;

import insync.agent.weave.Hook;
import insync.core.FetcherConnection;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.modifier.FieldManifestation;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.FieldAccessor;

/**
 * A response has come to its end and the network thread settles the request's metrics: its last byte is with the
 * socket, or it will never be sent, because the connection is gone or there is nothing to send. Every way that
 * a response can end passes here.
 */
public final class RequestEndHook extends Hook {
    private static final String FIELD = "insync$fetcher";

    /** @param request the class of a request in this version of Kafka */
    public RequestEndHook(String request) {
        super(request, "updateRequestMetrics", End.class);
    }

    @Override
    public DynamicType.Builder<?> shape(DynamicType.Builder<?> builder) {
        return builder
            .defineField(FIELD, FetcherConnection.class, Visibility.PRIVATE, FieldManifestation.VOLATILE)
            .implement(RequestCarrier.class)
            .defineMethod(FIELD, FetcherConnection.class, Visibility.PUBLIC)
            .intercept(FieldAccessor.ofField(FIELD))
            .defineMethod(FIELD, void.class, Visibility.PUBLIC).withParameters(FetcherConnection.class)
            .intercept(FieldAccessor.ofField(FIELD));
    }

    static final class End {
        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit(@Advice.This Object request, @Advice.FieldValue(FIELD) FetcherConnection connection) {
            if (connection != null) {
                connection.sent(request);
            }
        }
    }
}
