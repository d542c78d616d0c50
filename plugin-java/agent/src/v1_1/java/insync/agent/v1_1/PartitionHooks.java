package insync.agent.v1_1;

import insync.agent.pausepoints.PausePointHooks;
import insync.agent.weave.Hook;
import insync.core.Insync;
import java.util.List;
import kafka.cluster.Partition;
import kafka.cluster.Replica;
import net.bytebuddy.asm.Advice;

/** Weaves Kafka's Partition. */
final class PartitionHooks {
    private static final String UPDATE = "updateReplicaLogReadResult";

    private PartitionHooks() { }

    /** KAFKA-7104's second fix. */
    static Hook keepAnswer() {
        return new Hook(insync.agent.isr.PartitionHooks.TYPE, UPDATE, KeepAnswer.class);
    }

    static List<Hook> pausePoints() {
        String type = insync.agent.isr.PartitionHooks.TYPE;
        return List.of(new Hook(type, UPDATE, LeaderRead.class), new Hook(type, "maybeExpandIsr", LeaderRecorded.class));
    }

    /**
     * Keeps the response as it was read. If a follower's fetch moved the high or low watermark, 1.1.0 replaces the high
     * watermark, log start offset and log end offset of the read by the leader's present ones. It calls this
     * method to learn whether they moved, and uses the result for nothing else; 1.1.1 does not use it at all.
     */
    static final class KeepAnswer {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.Return(readOnly = false) boolean moved) {
            if (moved) {
                moved = false;
                Insync.current().logStarts().snapshot();
            }
        }
    }

    /** Passes the point after all partitions of a follower's fetch are read, before the fetch is recorded. */
    static final class LeaderRead {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.This Partition partition, @Advice.Argument(0) Replica follower) {
            PausePointHooks.pass(PausePointHooks.LEADER_READ, follower.brokerId(), partition.topicPartition());
        }
    }

    /** Passes the point after a follower's log end offset is recorded, before the high watermark moves. */
    static final class LeaderRecorded {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.This Partition partition, @Advice.Argument(0) int follower) {
            PausePointHooks.pass(PausePointHooks.LEADER_RECORDED, follower, partition.topicPartition());
        }
    }
}
