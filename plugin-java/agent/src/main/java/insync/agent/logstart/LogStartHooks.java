package insync.agent.logstart;

import insync.agent.isr.FetchParamsHooks;
import insync.agent.isr.PartitionHooks;
import insync.agent.weave.TypeHooks;
import insync.core.Insync;
import java.util.List;
import kafka.cluster.Partition;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import org.apache.kafka.storage.internals.log.LogOffsetMetadata;
import org.apache.kafka.storage.internals.log.LogReadInfo;
import org.apache.kafka.storage.internals.log.LogStartOffsetIncrementReason;

/** Contains the hooks of the two fixes of KAFKA-7104 from 3.6 on. */
public final class LogStartHooks {

    private LogStartHooks() { }

    public static List<TypeHooks> types() {
        return List.of(
            new TypeHooks(PartitionHooks.LOG).on("maybeIncrementLogStartOffset", MaybeIncrementLogStartOffset.class),
            new TypeHooks("org.apache.kafka.storage.internals.log.LogReadInfo").on("<init>", NewLogReadInfo.class),
            new TypeHooks(PartitionHooks.TYPE).on("fetchRecords", FetchRecords.class));
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
                newStart = Insync.current().logStarts
                    .bounded(newStart, highWatermark.messageOffset, highWatermark.messageOffset);
            }
        }
    }

    /** Bounds the log start offset of a response by its high watermark. */
    static final class NewLogReadInfo {
        // Exceptions are not suppressed, because the JVM allows no handler before the call of a superclass's constructor.
        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(2) long highWatermark,
                          @Advice.Argument(value = 3, readOnly = false) long logStart) {
            logStart = Insync.current().logStarts.ofAnswer(logStart, highWatermark);
        }
    }

    /** Answers a follower's fetch that was recorded with the high watermark that it moved. */
    static final class FetchRecords {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static int enter(@Advice.FieldValue("leaderEpoch") int leaderEpoch) {
            return leaderEpoch;
        }

        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This Partition partition, @Advice.Enter int leaderEpoch,
                         @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object params,
                         @Advice.Argument(5) boolean recorded, @Advice.Return(readOnly = false) LogReadInfo read)
                throws IllegalAccessException {
            if (recorded && Insync.current().logStarts.answersAsRead() && ((FetchParamsHooks.Params) params).isFromFollower()) {
                read = MovedHighWatermark.in(read, partition, leaderEpoch);
            }
        }
    }
}
