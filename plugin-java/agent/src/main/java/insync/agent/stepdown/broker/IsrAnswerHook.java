package insync.agent.stepdown.broker;

import insync.agent.weave.Hook;
import java.util.concurrent.CompletableFuture;
import net.bytebuddy.asm.Advice;

/** A change of an ISR goes to the controller: whoever waits for the answer gets it on another thread than the channel's. */
final class IsrAnswerHook extends Hook {

    /** @param manager Kafka's manager of AlterPartition requests in this version */
    IsrAnswerHook(String manager) {
        super(manager, "submit", Submit.class);
    }

    static final class Submit {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.Return(readOnly = false) CompletableFuture<?> answer) {
            if (StepDowns.active()) {
                answer = IsrAnswers.elsewhere(answer);
            }
        }
    }
}
