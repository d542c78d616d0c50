package insync.agent.v2_8;

import insync.agent.isr.PendingFetch;
import insync.agent.isr.PendingReads;
import kafka.server.ReplicaManager;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.matcher.ElementMatchers;
import org.apache.kafka.common.requests.FetchRequest;
import scala.Function1;
import scala.Tuple2;
import scala.collection.Seq;
import scala.runtime.BoxedUnit;

/** Weaves Kafka's ReplicaManager, whose fetchMessages has other arguments than from 3.6 on. */
final class ReplicaManagerHooks extends insync.agent.isr.ReplicaManagerHooks {

    private static final int ALL_ARGUMENTS = 18;

    ReplicaManagerHooks() {
        super(ElementMatchers.isConstructor().and(ElementMatchers.takesArguments(ALL_ARGUMENTS)), FetchMessages.class);
    }

    /** Marks the partitions of a follower's fetch; the replica id of a consumer is below 0. */
    static final class FetchMessages {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static PendingFetch<Seq<?>> enter(
                @Advice.FieldValue(PENDING_READS) PendingReads pendingReads, @Advice.Argument(0) long maxWaitMs,
                @Advice.Argument(1) int replicaId,
                @Advice.Argument(5) Seq<Tuple2<?, FetchRequest.PartitionData>> partitions,
                @Advice.Argument(value = 7, readOnly = false) Function1<Seq<?>, BoxedUnit> callback) {
            if (pendingReads == null || replicaId < 0) {
                return null;
            }
            PendingFetch<Seq<?>> fetch = pendingReads.begin(replicaId, maxWaitMs, partitions, callback);
            if (fetch != null) {
                callback = fetch;
            }
            return fetch;
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit(@Advice.Enter PendingFetch<?> fetch, @Advice.Thrown Throwable thrown) {
            if (fetch != null && thrown != null) {
                fetch.complete();
            }
        }
    }
}
