package insync.agent.stepdown.controller;

import insync.agent.weave.Hook;
import java.util.function.IntPredicate;
import net.bytebuddy.asm.Advice;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.metadata.PartitionRegistration;

/**
 * On the controller: may this replica lead? Asked of each candidate in turn, the present leader first. When that one asked
 * to be relieved, its successor is the only one who may; during the cool-down it does not come back by itself.
 */
public final class NewLeaderHook extends Hook {

    public NewLeaderHook() {
        super("org.apache.kafka.controller.PartitionChangeBuilder", "isValidNewLeader", Candidate.class);
    }

    static final class Candidate {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.Argument(0) int candidate, @Advice.FieldValue(ReliefHook.FIELD) Relief relief,
                         @Advice.FieldValue("partition") PartitionRegistration partition,
                         @Advice.FieldValue("topicId") Uuid topicId, @Advice.FieldValue("partitionId") int partitionId,
                         @Advice.FieldValue("isAcceptableLeader") IntPredicate mayLead,
                         @Advice.Return(readOnly = false) boolean valid) {
            if (relief != null) {
                valid = candidate == relief.successor();
            } else if (valid && Elections.automatic()
                    && Elections.comesBackTooEarly(partition, topicId, partitionId, mayLead, candidate)) {
                valid = false;
            }
        }
    }
}
