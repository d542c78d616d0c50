package insync.agent.stepdown.broker;

import insync.agent.broker.Brokers;
import insync.agent.weave.TypeHooks;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.MethodCall;
import net.bytebuddy.matcher.ElementMatchers;
import org.apache.kafka.common.message.AlterPartitionRequestData;

/**
 * Weaves Kafka's DefaultAlterPartitionManager, a class that moved in 4.4: its next request, and the threads of its responses.
 */
public final class AlterPartitionManagerHooks extends TypeHooks {

    /**
     * @param manager the class in this version of Kafka
     * @param link the interface that is added to it
     */
    public AlterPartitionManagerHooks(String manager, Class<? extends ControllerLink> link) {
        super(manager);
        on("submit", Submit.class);
        getter("insync$inFlight", AtomicBoolean.class, "inflightRequest");
        method("insync$propagate", void.class, MethodCall.invoke(ElementMatchers.named("maybePropagateIsrChanges")));
        implement(link);
    }

    /** Returns the hooks on the builder of requests to change an ISR, which Kafka calls for each attempt to send one. */
    public static TypeHooks requests() {
        return new TypeHooks("org.apache.kafka.common.requests.AlterPartitionRequest$Builder").on("build",
            ElementMatchers.named("build").and(ElementMatchers.not(ElementMatchers.isBridge()))
                .and(ElementMatchers.takesArguments(1)), Build.class);
    }

    /** Gives access to the manager's next request. */
    public interface ControllerLink {

        /**
         * Returns whether a request of the manager is under way; changes submitted meanwhile are sent with the next request.
         */
        AtomicBoolean insync$inFlight();

        /** Sends the submitted changes, unless a request is under way. */
        void insync$propagate();
    }

    /** Completes the response to an ISR change on a thread other than the channel's. */
    static final class Submit {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.Return(readOnly = false) CompletableFuture<?> answer) {
            if (Brokers.anyStepDown()) {
                answer = AnswerThreads.elsewhere(answer);
            }
        }
    }

    /** Leaves out what the broker no longer wants, also when the feature was turned off meanwhile. */
    static final class Build {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.FieldValue("data") AlterPartitionRequestData data) {
            TimedTag.recheck(data);
        }
    }
}
