package insync.agent.v1_1;

import insync.agent.pausepoints.Holding;
import insync.agent.weave.Hook;
import kafka.cluster.Partition;
import kafka.cluster.Replica;
import net.bytebuddy.asm.Advice;

/** All that a follower's fetch asks for is read; what it tells of the follower is recorded next. */
final class LeaderReadHook extends Hook {

    LeaderReadHook() {
        super("kafka.cluster.Partition", "updateReplicaLogReadResult", Read.class);
    }

    static final class Read {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.This Partition partition, @Advice.Argument(0) Replica follower) {
            Holding.pass(Holding.LEADER_READ, follower.brokerId(), partition.topicPartition());
        }
    }
}
