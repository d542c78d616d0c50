package insync.agent.logstart;

import insync.agent.isr.FetchParamsHooks;
import insync.agent.weave.Hook;
import kafka.cluster.Partition;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import org.apache.kafka.storage.internals.log.LogReadInfo;

/** Weaves Kafka's Partition for {@code insync.log.start.fix=snapshot}. */
final class PartitionHooks {

    private PartitionHooks() { }

    static Hook movedHighWatermark() {
        return new Hook(insync.agent.isr.PartitionHooks.TYPE, "fetchRecords", FetchRecords.class);
    }

    /** Answers a follower's fetch that was recorded with the high watermark that it moved. */
    static final class FetchRecords {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static int enter(@Advice.FieldValue("leaderEpoch") int leaderEpoch) {
            return leaderEpoch;
        }

        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This Partition partition, @Advice.Enter int leaderEpoch,
                         @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object params,
                         @Advice.Argument(5) boolean recorded, @Advice.Return(readOnly = false) LogReadInfo read)
                throws IllegalAccessException {
            if (recorded && ((FetchParamsHooks.Params) params).isFromFollower()) {
                read = MovedHighWatermark.in(read, partition, leaderEpoch);
            }
        }
    }
}
