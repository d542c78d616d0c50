package insync.agent.v1_1;

import insync.agent.kafka.holds.Holding;
import insync.agent.weave.Hook;
import net.bytebuddy.asm.Advice;

/** All that a follower's fetch asks for is read; what it tells of the follower is not recorded yet. */
final class LeaderReadHook extends Hook {

    LeaderReadHook() {
        super("kafka.server.ReplicaManager", "updateFollowerLogReadResults", Read.class);
    }

    static final class Read {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.Argument(0) int follower) {
            Holding.pass(Holding.LEADER_READ, follower, null);
        }
    }
}
