package insync.agent.isr;

import insync.agent.weave.Hook;
import insync.core.FollowerFetches;
import java.util.List;
import kafka.cluster.Partition;
import net.bytebuddy.asm.Advice;

/**
 * This broker follows a leader in a new epoch: an event, and marks from when it led go. They are found before
 * the change, because Kafka forgets its remote replicas in it.
 */
public final class MakeFollowerHook extends Hook {

    public MakeFollowerHook() {
        super("kafka.cluster.Partition", "makeFollower", Resigned.class);
    }

    static final class Resigned {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static List<FollowerFetches> enter(@Advice.This Partition partition) {
            return PartitionEvents.followersOf(partition);
        }

        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This Partition partition, @Advice.Enter List<FollowerFetches> followers,
                         @Advice.Return boolean newEpoch, @Advice.FieldValue("leaderEpoch") int leaderEpoch) {
            if (newEpoch) {
                PartitionEvents.resigned(partition, followers, leaderEpoch);
            }
        }
    }
}
