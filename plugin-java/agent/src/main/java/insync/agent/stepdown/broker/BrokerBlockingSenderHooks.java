package insync.agent.stepdown.broker;

import insync.agent.broker.Brokers;
import insync.agent.weave.TypeHooks;
import insync.core.stepdown.PeerFetches.OutgoingFetch;
import kafka.server.KafkaConfig;
import net.bytebuddy.asm.Advice;
import org.apache.kafka.common.Node;

/** Weaves Kafka's BrokerBlockingSender, a follower's connection to a leader, to measure how fast the leader answers. */
public final class BrokerBlockingSenderHooks extends TypeHooks {
    private static final String OUTGOING = "insync$outgoing";

    public BrokerBlockingSenderHooks() {
        super("kafka.server.BrokerBlockingSender");
        on("<init>", Init.class);
        on("sendRequest", SendRequest.class);
        on("initiateClose", InitiateClose.class);
        field(OUTGOING, OutgoingFetch.class);
    }

    /** Prepares to measure a new connection; a config update may turn the feature on while it lives. */
    static final class Init {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.Argument(1) KafkaConfig config, @Advice.FieldValue("sourceNode") Node peer,
                         @Advice.FieldValue(value = OUTGOING, readOnly = false) OutgoingFetch fetch) {
            fetch = Brokers.fetcher(config.brokerId(), peer.id());
        }
    }

    /** Measures the time between a request and its answer, if the feature is on. */
    static final class SendRequest {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static OutgoingFetch enter(@Advice.FieldValue(OUTGOING) OutgoingFetch fetch) {
            if (fetch == null || !Brokers.anyStepDown()) {
                return null;
            }
            fetch.sent();
            return fetch;
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit(@Advice.Enter OutgoingFetch fetch) {
            if (fetch != null) {
                fetch.ended();
            }
        }
    }

    /** Ends the measurement of a connection that closes. */
    static final class InitiateClose {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.FieldValue(OUTGOING) OutgoingFetch fetch) {
            if (fetch != null) {
                fetch.closed();
            }
        }
    }
}
