package insync.agent.isr;

import insync.agent.broker.KafkaBroker;
import insync.agent.kafka.BrokerAccess;
import insync.core.FetchMarks;
import org.apache.kafka.common.requests.FetchRequest;
import scala.Function1;
import scala.Tuple2;
import scala.collection.Iterator;
import scala.collection.Seq;
import scala.runtime.BoxedUnit;

/** A follower's fetch as ReplicaManager.fetchMessages gets it, marked for scope "read". */
public final class FollowerFetch {

    private FollowerFetch() { }

    /**
     * Marks the partitions of a follower's fetch.
     *
     * @return the response callback to use instead, or null if nothing is marked, for the fetch protects no follower
     */
    public static <R> PendingFetch<R> begin(PendingReads pendingReads, int replicaId,
            Seq<? extends Tuple2<?, FetchRequest.PartitionData>> partitions, Function1<R, BoxedUnit> callback) {
        FetchMarks marks = pendingReads.newMarks();
        BrokerAccess access = KafkaBroker.access();
        try {
            Iterator<? extends Tuple2<?, FetchRequest.PartitionData>> each = partitions.iterator();
            while (each.hasNext()) {
                Tuple2<?, FetchRequest.PartitionData> one = each.next();
                pendingReads.mark(marks, replicaId, access.partition(one._1()), one._2().fetchOffset,
                    one._2().currentLeaderEpoch);
            }
            marks.marked();
        } catch (RuntimeException | Error failed) {
            marks.marked();
            marks.complete();
            throw failed;
        }
        return marks.isEmpty() ? null : new PendingFetch<>(callback, marks);
    }
}
