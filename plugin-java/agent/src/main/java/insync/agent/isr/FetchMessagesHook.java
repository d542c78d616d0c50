package insync.agent.isr;

import insync.agent.broker.BrokerStartHook;
import insync.agent.weave.Hook;
import net.bytebuddy.asm.Advice;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.server.storage.log.FetchParams;
import org.apache.kafka.server.storage.log.FetchPartitionData;
import scala.Function1;
import scala.Tuple2;
import scala.collection.Seq;
import scala.runtime.BoxedUnit;

/**
 * A fetch arrives at the ReplicaManager: a follower's partitions are marked before anything is read, and the
 * response callback is wrapped so that the marks go when the fetch completes, wherever that happens: here, in
 * the purgatory (which runs in a producer's handler thread), or at its expiry. The same from 4.0 on.
 */
public final class FetchMessagesHook extends Hook {

    public FetchMessagesHook() {
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
