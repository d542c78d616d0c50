package insync.agent.v1_1;

import insync.agent.logstart.LogStarts;
import insync.agent.weave.Hook;
import net.bytebuddy.asm.Advice;

/** Weaves Kafka's LogReadResult, the result of a partition's read, for {@code insync.log.start.fix=snapshot}. */
final class LogReadResultHooks {

    private LogReadResultHooks() { }

    static Hook snapshot() {
        return new Hook("kafka.server.LogReadResult", "<init>", Init.class);
    }

    /** Bounds the log start offset of a response by its high watermark. */
    static final class Init {
        // Exceptions are not suppressed, because the JVM allows no handler before the call of a superclass's constructor.
        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(1) long highWatermark,
                          @Advice.Argument(value = 2, readOnly = false) long logStart) {
            logStart = LogStarts.ofAnswer(logStart, highWatermark);
        }
    }
}
