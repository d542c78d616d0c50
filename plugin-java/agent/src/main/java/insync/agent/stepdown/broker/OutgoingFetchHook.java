package insync.agent.stepdown.broker;

import insync.agent.weave.Hook;
import insync.core.stepdown.OutgoingFetch;
import net.bytebuddy.asm.Advice;

/** This broker, as a follower, asks a peer and waits for its answer: what it can know of how fast that peer is. */
final class OutgoingFetchHook extends Hook {

    OutgoingFetchHook() {
        super("kafka.server.BrokerBlockingSender", "sendRequest", Ask.class);
    }

    static final class Ask {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static OutgoingFetch enter(@Advice.FieldValue(FetcherHook.FIELD) OutgoingFetch fetch) {
            if (fetch != null) {
                fetch.sent();
            }
            return fetch;
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit(@Advice.Enter OutgoingFetch fetch) {
            if (fetch != null) {
                fetch.ended();
            }
        }
    }
}
