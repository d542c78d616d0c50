package insync.agent.stepdown.broker;

import insync.agent.broker.Brokers;
import insync.agent.weave.Hook;
import insync.agent.weave.TypeHooks;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.MethodCall;
import net.bytebuddy.matcher.ElementMatchers;

/**
 * Weaves Kafka's DefaultAlterPartitionManager, a class that moved in 4.4: its next request, and the threads of its responses.
 */
public final class AlterPartitionManagerHooks extends TypeHooks {
    private final Class<? extends ControllerLink> link;

    /**
     * @param manager the class in this version of Kafka
     * @param link the interface that is added to it
     */
    public AlterPartitionManagerHooks(String manager, Class<? extends ControllerLink> link) {
        super(manager);
        this.link = link;
    }

    @Override
    public List<Hook> hooks() {
        return List.of(on("submit", Submit.class));
    }

    @Override
    public DynamicType.Builder<?> addMembers(DynamicType.Builder<?> builder) {
        return getter(builder, "insync$inFlight", AtomicBoolean.class, "inflightRequest").implement(link)
            .defineMethod("insync$propagate", void.class, Visibility.PUBLIC)
            .intercept(MethodCall.invoke(ElementMatchers.named("maybePropagateIsrChanges")));
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
                answer = IsrAnswerThreads.elsewhere(answer);
            }
        }
    }
}
