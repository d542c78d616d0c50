package insync.agent.pausepoints;

import insync.agent.weave.Hook;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.matcher.ElementMatchers;
import org.apache.kafka.common.TopicPartition;

/** A follower's fetcher thread has what the leader answered about a partition. */
public final class FollowerReceivedHook extends Hook {

    public FollowerReceivedHook() {
        super("kafka.server.ReplicaFetcherThread", "processPartitionData", Received.class);
    }

    @Override
    public ElementMatcher<? super MethodDescription> methods() {
        return ElementMatchers.named("processPartitionData").and(ElementMatchers.not(ElementMatchers.isBridge()));
    }

    static final class Received {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.Argument(0) TopicPartition partition) {
            Holding.pass(Holding.FOLLOWER_RECEIVED, Holding.UNKNOWN, partition);
        }
    }
}
