package insync.agent.isr;

import insync.agent.isr.RequestHooks.RequestCarrier;
import insync.agent.weave.TypeHooks;
import insync.core.isr.NetworkThread;
import insync.core.isr.RequestScope;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentMap;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** Weaves Kafka's RequestChannel, the queue between network threads and handlers: it gets scope "request". */
public final class RequestChannelHooks extends TypeHooks {
    private static final String SCOPE = "insync$scope";

    public RequestChannelHooks() {
        super("kafka.network.RequestChannel");
        on("sendRequest", SendRequest.class);
        property(SCOPE, RequestScope.class);
        getter("insync$queue", BlockingQueue.class, "requestQueue");
        getter("insync$processors", ConcurrentMap.class, "processors");
        implement(ChannelCarrier.class);
    }

    /** Gives access to a RequestChannel's fields. */
    public interface ChannelCarrier {

        /** Sets the broker's scope "request"; null if it is off. */
        void insync$scope(RequestScope scope);

        /** Returns the queue of requests that wait for a handler; it also has other entries. */
        BlockingQueue<?> insync$queue();

        /** Returns the network threads' Processors by their ids. */
        ConcurrentMap<?, ?> insync$processors();
    }

    /**
     * Starts the time for which the leader is responsible for a follower's fetch: a network thread has read the whole
     * request and queues it. A full queue blocks the thread here, and with it all its other connections.
     */
    static final class SendRequest {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static NetworkThread enter(@Advice.FieldValue(SCOPE) RequestScope scope,
                                   @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object request) {
            return scope == null ? null : RequestSteps.arrived(scope, (RequestCarrier) request);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit(@Advice.Enter NetworkThread thread) {
            if (thread != null) {
                thread.leaveCall();
            }
        }
    }
}
