package insync.agent.v2_8;

import insync.agent.broker.BrokerStartHook;
import insync.agent.isr.FollowerFetch;
import insync.agent.isr.PendingFetch;
import insync.agent.isr.PendingReads;
import insync.agent.weave.Hook;
import net.bytebuddy.asm.Advice;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.requests.FetchRequest;
import scala.Function1;
import scala.Tuple2;
import scala.collection.Seq;
import scala.runtime.BoxedUnit;

/**
 * A fetch arrives at the ReplicaManager. The same as {@link insync.agent.isr.FetchMessagesHook}, but for its
 * arguments; a consumer's replica id is below 0.
 */
final class FetchMessagesHook extends Hook {

    FetchMessagesHook() {
        super("kafka.server.ReplicaManager", "fetchMessages", Marking.class);
    }

    static final class Marking {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static PendingFetch<Seq<?>> enter(
                @Advice.FieldValue(BrokerStartHook.FIELD) PendingReads pendingReads,
                @Advice.Argument(1) int replicaId,
                @Advice.Argument(5) Seq<Tuple2<TopicPartition, FetchRequest.PartitionData>> partitions,
                @Advice.Argument(value = 7, readOnly = false) Function1<Seq<?>, BoxedUnit> callback) {
            if (pendingReads == null || replicaId < 0) {
                return null;
            }
            PendingFetch<Seq<?>> fetch = FollowerFetch.begin(pendingReads, replicaId, partitions, callback);
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
