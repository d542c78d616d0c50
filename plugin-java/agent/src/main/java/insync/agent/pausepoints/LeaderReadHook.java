package insync.agent.pausepoints;

import insync.agent.weave.Hook;
import kafka.cluster.Partition;
import net.bytebuddy.asm.Advice;

/** A partition is read for a follower's fetch; what that tells of the follower is recorded next. */
final class LeaderReadHook extends Hook {

    LeaderReadHook() {
        super("kafka.cluster.Partition", "updateFollowerFetchState", Read.class);
    }

    static final class Read {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.This Partition partition) {
            Holding.pass(Holding.LEADER_READ, Holding.UNKNOWN, partition.topicPartition());
        }
    }
}
