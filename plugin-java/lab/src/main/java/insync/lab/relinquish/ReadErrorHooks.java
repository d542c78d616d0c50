package insync.lab.relinquish;

import insync.agent.broker.Brokers;
import insync.agent.isr.FetchParamsHooks.Params;
import insync.agent.isr.PartitionHooks;
import insync.agent.weave.TypeHooks;
import kafka.cluster.Partition;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.CorruptRecordException;

/** Weaves Kafka's Partition, to count the failed reads of brokers with {@code insync.lab.relinquish.only.enable=true}. */
public final class ReadErrorHooks extends TypeHooks {

    public ReadErrorHooks() {
        super(PartitionHooks.TYPE);
        on("fetchRecords", FetchRecords.class);
    }

    /** Counts what a read threw, if the read failed and not only the request was wrong. */
    public static void failed(Partition partition, int brokerId, Throwable thrown) {
        if (isReadError(thrown)) {
            Brokers.stepDown(brokerId).readFailed(partition);
        }
    }

    /**
     * Kafka wraps an IOException of a read in a plain KafkaException. A failed log directory is an ApiException, and
     * Kafka gives its partitions away by itself.
     */
    private static boolean isReadError(Throwable thrown) {
        return thrown instanceof CorruptRecordException || !(thrown instanceof ApiException);
    }

    /** Counts a follower's fetch whose read failed, in the handler thread or in purgatory. */
    static final class FetchRecords {
        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit(@Advice.This Partition partition, @Advice.FieldValue("localBrokerId") int brokerId,
                         @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object params,
                         @Advice.Thrown Throwable thrown) {
            if (thrown != null && ((Params) params).isFromFollower()) {
                ReadErrorHooks.failed(partition, brokerId, thrown);
            }
        }
    }
}
