package insync.agent.v1_1;

import insync.agent.pausepoints.PausePointHooks;
import insync.agent.weave.Hook;
import java.util.List;
import kafka.cluster.Partition;
import kafka.cluster.Replica;
import net.bytebuddy.asm.Advice;

/** Weaves Kafka's Partition. */
final class PartitionHooks {
    private PartitionHooks() { }

    static List<Hook> pausePoints() {
        String type = insync.agent.isr.PartitionHooks.TYPE;
        return List.of(new Hook(type, "updateReplicaLogReadResult", LeaderRead.class),
            new Hook(type, "maybeExpandIsr", LeaderRecorded.class));
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
