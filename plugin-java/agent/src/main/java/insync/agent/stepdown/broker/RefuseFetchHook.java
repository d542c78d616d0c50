package insync.agent.stepdown.broker;

import insync.agent.weave.Hook;
import net.bytebuddy.asm.Advice;

/**
 * A fetch comes to a partition whose leader epoch is over: it is refused as Kafka refuses it, before it queues for a lock
 * and takes a handler thread with it. The exception is meant for Kafka.
 */
final class RefuseFetchHook extends Hook {

    RefuseFetchHook() {
        super("kafka.cluster.Partition", "fetchRecords", Fetch.class);
    }

    static final class Fetch {
        @Advice.OnMethodEnter
        static void enter(@Advice.FieldValue(LosingLeadHook.FIELD) int over,
                          @Advice.FieldValue("leaderEpoch") int leaderEpoch) {
            if (over != 0 && OverdueLeader.isOver(over, leaderEpoch)) {
                throw OverdueLeader.refuse(leaderEpoch);
            }
        }
    }
}
