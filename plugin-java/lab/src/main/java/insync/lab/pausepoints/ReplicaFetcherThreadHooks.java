package insync.lab.pausepoints;

import insync.agent.weave.Hook;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.matcher.ElementMatchers;
import org.apache.kafka.common.TopicPartition;

/** Weaves a pause point into Kafka's ReplicaFetcherThread. */
public final class ReplicaFetcherThreadHooks {
    private static final String PROCESS = "processPartitionData";

    private ReplicaFetcherThreadHooks() { }

    public static Hook received() {
        return new Hook("kafka.server.ReplicaFetcherThread", PROCESS,
            () -> ElementMatchers.named(PROCESS).and(ElementMatchers.not(ElementMatchers.isBridge())),
            ProcessPartitionData.class);
    }

    /** Passes the point at which a follower has the leader's response for a partition. */
    static final class ProcessPartitionData {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.Argument(0) TopicPartition partition) {
            PausePointHooks.pass(PausePointHooks.FOLLOWER_RECEIVED, PausePointHooks.UNKNOWN, partition);
        }
    }
}
