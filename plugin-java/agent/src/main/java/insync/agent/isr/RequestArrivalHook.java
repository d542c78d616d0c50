package insync.agent.isr;

import insync.agent.weave.Hook;
import insync.core.NetworkThread;
import insync.core.RequestScope;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentMap;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.modifier.FieldManifestation;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.FieldAccessor;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/**
 * A network thread has a whole request and queues it for the handlers: from here on a follower's fetch is in the
 * leader's hands. A full queue holds the thread here, and with it all its other connections.
 */
public final class RequestArrivalHook extends Hook {
    private static final String FIELD = "insync$scope";

    public RequestArrivalHook() {
        super("kafka.network.RequestChannel", "sendRequest", Arrival.class);
    }

    @Override
    public DynamicType.Builder<?> shape(DynamicType.Builder<?> builder) {
        return builder
            .defineField(FIELD, RequestScope.class, Visibility.PRIVATE, FieldManifestation.VOLATILE)
            .implement(ChannelCarrier.class)
            .defineMethod(FIELD, void.class, Visibility.PUBLIC).withParameters(RequestScope.class)
            .intercept(FieldAccessor.ofField(FIELD))
            .defineMethod("insync$queue", BlockingQueue.class, Visibility.PUBLIC)
            .intercept(FieldAccessor.ofField("requestQueue"))
            .defineMethod("insync$processors", ConcurrentMap.class, Visibility.PUBLIC)
            .intercept(FieldAccessor.ofField("processors"));
    }

    static final class Arrival {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static NetworkThread enter(@Advice.FieldValue(FIELD) RequestScope scope,
                                   @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object request) {
            return scope == null ? null : RequestLife.arrived(scope, (RequestCarrier) request);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit(@Advice.Enter NetworkThread thread) {
            if (thread != null) {
                thread.leaveCall();
            }
        }
    }
}
