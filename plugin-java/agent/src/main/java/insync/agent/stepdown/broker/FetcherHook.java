package insync.agent.stepdown.broker;

import insync.agent.weave.Hook;
import insync.core.stepdown.OutgoingFetch;
import kafka.server.KafkaConfig;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.DynamicType;
import org.apache.kafka.common.Node;

/** This broker makes a connection to a peer whose follower it is; with the feature on, what it waits for is kept. */
final class FetcherHook extends Hook {
    static final String FIELD = "insync$outgoing";

    FetcherHook() {
        super("kafka.server.BrokerBlockingSender", "<init>", Made.class);
    }

    @Override
    public DynamicType.Builder<?> shape(DynamicType.Builder<?> builder) {
        return builder.defineField(FIELD, OutgoingFetch.class, Visibility.PRIVATE);
    }

    static final class Made {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.Argument(1) KafkaConfig config, @Advice.FieldValue("sourceNode") Node peer,
                         @Advice.FieldValue(value = FIELD, readOnly = false) OutgoingFetch fetch) {
            if (StepDowns.active()) {
                fetch = StepDowns.fetcher(config, peer.id());
            }
        }
    }
}
