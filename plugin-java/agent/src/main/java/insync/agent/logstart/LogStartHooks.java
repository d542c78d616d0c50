package insync.agent.logstart;

import insync.agent.isr.FetchParamsHooks;
import insync.agent.isr.PartitionHooks;
import insync.agent.weave.Hook;
import insync.core.Insync;
import java.util.ArrayList;
import java.util.List;
import kafka.cluster.Partition;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import org.apache.kafka.storage.internals.log.LogOffsetMetadata;
import org.apache.kafka.storage.internals.log.LogReadInfo;
import org.apache.kafka.storage.internals.log.LogStartOffsetIncrementReason;

/** Contains the hooks of the two fixes for a version of Kafka; each is woven only if it is on. */
public final class LogStartHooks {
    final List<Hook> bound;
    final List<Hook> snapshot;

    public LogStartHooks(List<Hook> bound, List<Hook> snapshot) {
        this.bound = bound;
        this.snapshot = snapshot;
    }

    /**
     * Returns the hooks of all versions from 3.6 on.
     *
     * @param log the class of a partition's log, which moved in 4.1
     */
    public static LogStartHooks since36(String log) {
        return new LogStartHooks(List.of(new Hook(log, "maybeIncrementLogStartOffset", MaybeIncrementLogStartOffset.class)),
            List.of(new Hook("org.apache.kafka.storage.internals.log.LogReadInfo", "<init>", NewLogReadInfo.class),
                new Hook(PartitionHooks.TYPE, "fetchRecords", FetchRecords.class)));
    }

    public List<Hook> all() {
        List<Hook> all = new ArrayList<>(bound);
        all.addAll(snapshot);
        return all;
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
            if (recorded && ((FetchParamsHooks.Params) params).isFromFollower()) {
                read = MovedHighWatermark.in(read, partition, leaderEpoch);
            }
        }
    }
}
