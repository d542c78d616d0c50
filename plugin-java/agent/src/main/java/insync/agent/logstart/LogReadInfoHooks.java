package insync.agent.logstart;

import insync.agent.weave.Hook;
import net.bytebuddy.asm.Advice;

/** Weaves Kafka's LogReadInfo, the result of a partition's read, for {@code insync.log.start.fix=snapshot}. */
final class LogReadInfoHooks {

    private LogReadInfoHooks() { }

    static Hook snapshot() {
        return new Hook("org.apache.kafka.storage.internals.log.LogReadInfo", "<init>", Init.class);
    }

    /** Bounds the log start offset of a response by its high watermark. */
    static final class Init {
        // Exceptions are not suppressed, because the JVM allows no handler before the call of a superclass's constructor.
        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(2) long highWatermark,
                          @Advice.Argument(value = 3, readOnly = false) long logStart) {
            logStart = LogStarts.ofAnswer(logStart, highWatermark);
        }
    }
}
