package insync.agent.v3_9;

import insync.agent.broker.BrokerStartHook;
import insync.agent.isr.FollowerFetch;
import insync.agent.isr.PendingFetch;
import insync.agent.isr.PendingReads;
import insync.agent.weave.Hook;
import net.bytebuddy.asm.Advice;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.storage.internals.log.FetchParams;
import org.apache.kafka.storage.internals.log.FetchPartitionData;
import scala.Function1;
import scala.Tuple2;
import scala.collection.Seq;
import scala.runtime.BoxedUnit;

/**
 * A fetch arrives at the ReplicaManager. The same as {@link insync.agent.isr.FetchMessagesHook}, but for the package
 * of its arguments.
 */
final class FetchMessagesHook extends Hook {

    FetchMessagesHook() {
        super("kafka.server.ReplicaManager", "fetchMessages", Marking.class);
    }

    static final class Marking {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static PendingFetch<Seq<Tuple2<TopicIdPartition, FetchPartitionData>>> enter(
                @Advice.FieldValue(BrokerStartHook.FIELD) PendingReads pendingReads,
                @Advice.Argument(0) FetchParams params,
                @Advice.Argument(1) Seq<Tuple2<TopicIdPartition, FetchRequest.PartitionData>> partitions,
                @Advice.Argument(value = 3, readOnly = false)
                    Function1<Seq<Tuple2<TopicIdPartition, FetchPartitionData>>, BoxedUnit> callback) {
            if (pendingReads == null || !params.isFromFollower()) {
                return null;
            }
            PendingFetch<Seq<Tuple2<TopicIdPartition, FetchPartitionData>>> fetch =
                FollowerFetch.begin(pendingReads, params.replicaId, partitions, callback);
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
