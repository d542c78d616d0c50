package insync.agent.stepdown.broker;

import insync.agent.weave.Hook;
import kafka.cluster.Partition;
import net.bytebuddy.asm.Advice;

/** This broker leads a partition: from now on the watch looks at it. */
final class LeadingHook extends Hook {

    LeadingHook() {
        super("kafka.cluster.Partition", "makeLeader", Leading.class);
    }

    static final class Leading {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This Partition partition, @Advice.FieldValue("localBrokerId") int brokerId) {
            if (StepDowns.active()) {
                StepDowns.leading(partition, brokerId);
            }
        }
    }
}
