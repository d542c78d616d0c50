package insync.agent.stepdown.broker;

import insync.agent.weave.Hook;
import net.bytebuddy.asm.Advice;
import org.apache.kafka.common.protocol.Errors;
import scala.Tuple2;

/** A produce request waits for followers of a leader epoch that is over: it is told to go to the new leader. */
final class RefuseAckHook extends Hook {

    RefuseAckHook() {
        super("kafka.cluster.Partition", "checkEnoughReplicasReachOffset", Ack.class);
    }

    static final class Ack {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.FieldValue(LosingLeadHook.FIELD) int over,
                         @Advice.FieldValue("leaderEpoch") int leaderEpoch,
                         @Advice.Return(readOnly = false) Tuple2<Object, Errors> answer) {
            if (over != 0 && OverdueLeader.isOver(over, leaderEpoch)) {
                answer = OverdueLeader.answer(answer);
            }
        }
    }
}
