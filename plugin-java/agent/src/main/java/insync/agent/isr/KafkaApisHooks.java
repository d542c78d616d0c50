package insync.agent.isr;

import insync.agent.broker.Brokers;
import insync.agent.isr.RequestHooks.RequestCarrier;
import insync.agent.weave.TypeHooks;
import insync.core.isr.FetcherConnection;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** Weaves Kafka's KafkaApis, whose methods run in request handler threads. */
public final class KafkaApisHooks extends TypeHooks {
    public static final String TYPE = "kafka.server.KafkaApis";

    public KafkaApisHooks() {
        super(TYPE);
        on("handleFetchRequest", HandleFetchRequest.class);
    }

    /**
     * Records in the handler thread which connection's fetch it serves, so that its reads count for that connection.
     */
    static final class HandleFetchRequest {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static FetcherConnection enter(@Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object request) {
            if (Brokers.anyReadScope()) {
                ReadConnections.serve(((RequestCarrier) request).context().connectionId);
            }
            return Brokers.anyRequestScope() ? RequestSteps.serve((RequestCarrier) request) : null;
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit(@Advice.Enter FetcherConnection connection) {
            if (connection != null) {
                FetcherConnection.served();
            }
            if (Brokers.anyReadScope()) {
                ReadConnections.serve(null);
            }
        }
    }
}
