package insync.agent.isr;

import insync.agent.weave.Hook;
import insync.core.FetcherConnection;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** A handler thread serves a fetch: whatever it reads meanwhile, it reads for this fetch's connection. */
public final class ServeFetchHook extends Hook {

    public ServeFetchHook() {
        super("kafka.server.KafkaApis", "handleFetchRequest", Serve.class);
    }

    static final class Serve {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static FetcherConnection enter(@Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object request) {
            return RequestLife.active() ? RequestLife.serve((RequestCarrier) request) : null;
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit(@Advice.Enter FetcherConnection connection) {
            if (connection != null) {
                FetcherConnection.served();
            }
        }
    }
}
