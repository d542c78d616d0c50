package insync.agent.stepdown.broker;

import insync.agent.broker.Brokers;
import insync.agent.weave.TypeHooks;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.matcher.ElementMatchers;
import org.apache.kafka.common.message.AlterPartitionRequestData;

/** Weaves the builder of requests to change an ISR, which Kafka calls for each attempt to send one. */
public final class AlterPartitionHooks extends TypeHooks {

    public AlterPartitionHooks() {
        super("org.apache.kafka.common.requests.AlterPartitionRequest$Builder");
        on("build", ElementMatchers.named("build").and(ElementMatchers.not(ElementMatchers.isBridge()))
            .and(ElementMatchers.takesArguments(1)), Build.class);
    }

    /** Leaves out what the broker no longer wants. */
    static final class Build {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.FieldValue("data") AlterPartitionRequestData data) {
            if (Brokers.anyStepDown()) {
                TimedTag.recheck(data);
            }
        }
    }
}
