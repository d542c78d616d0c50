package insync.lab.pausepoints;

import insync.agent.weave.Hook;
import java.util.List;
import kafka.cluster.Partition;
import net.bytebuddy.asm.Advice;

/** Weaves pause points into Kafka's Partition. */
final class PartitionHooks {

    private PartitionHooks() { }

    static List<Hook> all() {
        String type = insync.agent.isr.PartitionHooks.TYPE;
        return List.of(new Hook(type, "updateFollowerFetchState", UpdateFollowerFetchState.class),
            new Hook(type, "maybeExpandIsr", MaybeExpandIsr.class), new Hook(type, "readRecords", ReadRecords.class));
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
}
