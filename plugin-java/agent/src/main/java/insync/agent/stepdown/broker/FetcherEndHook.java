package insync.agent.stepdown.broker;

import insync.agent.weave.Hook;
import insync.core.stepdown.OutgoingFetch;
import net.bytebuddy.asm.Advice;

/** This broker fetches from that peer over that connection no longer. */
final class FetcherEndHook extends Hook {

    FetcherEndHook() {
        super("kafka.server.BrokerBlockingSender", "initiateClose", Closed.class);
    }

    static final class Closed {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.FieldValue(FetcherHook.FIELD) OutgoingFetch fetch) {
            if (fetch != null) {
                fetch.closed();
            }
        }
    }
}
