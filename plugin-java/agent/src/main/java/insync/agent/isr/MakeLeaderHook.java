package insync.agent.isr;

import insync.agent.weave.Hook;
import kafka.cluster.Partition;
import net.bytebuddy.asm.Advice;

/** This broker became leader of a partition, or leads it in a new epoch: an event, and followers to keep time of. */
public final class MakeLeaderHook extends Hook {

    public MakeLeaderHook() {
        super("kafka.cluster.Partition", "makeLeader", Elected.class);
    }

    static final class Elected {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static int enter(@Advice.FieldValue("leaderEpoch") int leaderEpoch) {
            return leaderEpoch;
        }

        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This Partition partition, @Advice.Enter int before,
                         @Advice.FieldValue("leaderEpoch") int leaderEpoch,
                         @Advice.FieldValue("localBrokerId") int brokerId) {
            Followers.led(partition, brokerId);
            if (leaderEpoch != before) {
                PartitionEvents.leaderChange(partition, "leader", leaderEpoch);
            }
        }
    }
}
