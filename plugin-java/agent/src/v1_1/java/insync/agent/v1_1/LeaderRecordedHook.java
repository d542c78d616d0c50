package insync.agent.v1_1;

import insync.agent.pausepoints.Holding;
import insync.agent.weave.Hook;
import kafka.cluster.Partition;
import net.bytebuddy.asm.Advice;

/** A follower's log end offset is recorded; whether it moves the high watermark is looked at next. */
final class LeaderRecordedHook extends Hook {

    LeaderRecordedHook() {
        super("kafka.cluster.Partition", "maybeExpandIsr", Recorded.class);
    }

    static final class Recorded {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.This Partition partition, @Advice.Argument(0) int follower) {
            Holding.pass(Holding.LEADER_RECORDED, follower, partition.topicPartition());
        }
    }
}
