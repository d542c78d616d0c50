package insync.agent.logstart;

import insync.agent.weave.Hook;
import net.bytebuddy.asm.Advice;
import org.apache.kafka.storage.internals.log.LogOffsetMetadata;
import org.apache.kafka.storage.internals.log.LogStartOffsetIncrementReason;

/**
 * A log's start moves up. Where that is because the leader's answer says so, in a follower or in a replica that moves to
 * another log directory, it goes no further than the log's own high watermark, which is never above its end.
 */
final class BoundHook extends Hook {

    BoundHook(String log) {
        super(log, "maybeIncrementLogStartOffset", Bound.class);
    }

    static final class Bound {
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
