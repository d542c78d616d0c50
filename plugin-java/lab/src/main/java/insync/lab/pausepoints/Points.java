package insync.lab.pausepoints;

import insync.agent.isr.PartitionHooks;
import insync.agent.weave.TypeHooks;
import java.util.List;
import kafka.cluster.Partition;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.matcher.ElementMatchers;
import org.apache.kafka.common.TopicPartition;

/** Weaves pause points into Kafka's Partition, a partition's log, and ReplicaFetcherThread. */
public final class Points {

    private Points() { }

    static List<TypeHooks> since36() {
        return List.of(
            new TypeHooks(PartitionHooks.TYPE)
                .on("updateFollowerFetchState", UpdateFollowerFetchState.class)
                .on("maybeExpandIsr", MaybeExpandIsr.class)
                .on("readRecords", ReadRecords.class),
            new TypeHooks(PartitionHooks.LOG).on("logStartOffset", LogStartOffset.class),
            received());
    }

    /** Returns the hook by which a follower has a response. */
    public static TypeHooks received() {
        return new TypeHooks("kafka.server.ReplicaFetcherThread").on("processPartitionData",
            ElementMatchers.named("processPartitionData").and(ElementMatchers.not(ElementMatchers.isBridge())),
            ProcessPartitionData.class);
    }

    /** Passes the point after a partition is read for a follower's fetch, before the fetch is recorded. */
    static final class UpdateFollowerFetchState {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.This Partition partition) {
            PausePointHooks.pass(PausePointHooks.LEADER_READ, PausePointHooks.UNKNOWN, partition.topicPartition());
        }
    }

    /** Passes the point after a follower's log end offset is recorded, before the high watermark moves. */
    static final class MaybeExpandIsr {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.This Partition partition) {
            PausePointHooks.pass(PausePointHooks.LEADER_RECORDED, PausePointHooks.UNKNOWN, partition.topicPartition());
        }
    }

    /** Notes which partition this thread reads, so that pause points in the log know it. */
    static final class ReadRecords {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.This Partition partition) {
            PausePointHooks.beginRead(PausePointHooks.UNKNOWN, partition.topicPartition());
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit() {
            PausePointHooks.endRead();
        }
    }

    /**
     * Passes the point before the log start offset is read. In the read of a partition this is after the high watermark.
     */
    static final class LogStartOffset {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter() {
            PausePointHooks.halfRead(null);
        }
    }

    /** Passes the point at which a follower has the leader's response for a partition. */
    static final class ProcessPartitionData {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.Argument(0) TopicPartition partition) {
            PausePointHooks.pass(PausePointHooks.FOLLOWER_RECEIVED, PausePointHooks.UNKNOWN, partition);
        }
    }
}
