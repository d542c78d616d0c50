package insync.agent.logstart;

import insync.agent.weave.Hook;
import net.bytebuddy.asm.Advice;

/** What a read of a partition found becomes an answer: the log start offset in it is no higher than the high watermark. */
final class AnswerHook extends Hook {

    AnswerHook() {
        super("org.apache.kafka.storage.internals.log.LogReadInfo", "<init>", Answer.class);
    }

    static final class Answer {
        // Nothing is suppressed: the JVM allows no handler before the call of a superclass's constructor.
        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(2) long highWatermark,
                          @Advice.Argument(value = 3, readOnly = false) long logStart) {
            logStart = LogStarts.ofAnswer(logStart, highWatermark);
        }
    }
}
