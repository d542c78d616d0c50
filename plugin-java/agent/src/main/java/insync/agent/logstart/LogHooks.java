package insync.agent.logstart;

import insync.agent.weave.Hook;
import net.bytebuddy.asm.Advice;
import org.apache.kafka.storage.internals.log.LogOffsetMetadata;
import org.apache.kafka.storage.internals.log.LogStartOffsetIncrementReason;

/** Weaves a partition's log, a class that moved in 4.1, for {@code insync.log.start.fix=bound}. */
final class LogHooks {

    private LogHooks() { }

    static Hook bound(String log) {
        return new Hook(log, "maybeIncrementLogStartOffset", MaybeIncrementLogStartOffset.class);
    }

    /**
     * Bounds the log start offset in the leader's response by the log's own high watermark, which is never above its end:
     * in a follower, or in a replica that moves to another log directory.
     */
    static final class MaybeIncrementLogStartOffset {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.FieldValue("highWatermarkMetadata") LogOffsetMetadata highWatermark,
                          @Advice.Argument(value = 0, readOnly = false) long newStart,
                          @Advice.Argument(1) LogStartOffsetIncrementReason reason) {
            if (reason == LogStartOffsetIncrementReason.LeaderOffsetIncremented) {
                newStart = LogStarts.bounded(newStart, highWatermark.messageOffset, highWatermark.messageOffset);
            }
        }
    }
}
