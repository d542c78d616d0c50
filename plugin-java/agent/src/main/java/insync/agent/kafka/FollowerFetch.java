package insync.agent.kafka;

import insync.core.FetchMarks;
import org.apache.kafka.common.TopicIdPartition;
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
            Seq<Tuple2<TopicIdPartition, FetchRequest.PartitionData>> partitions, Function1<R, BoxedUnit> callback) {
        FetchMarks marks = new FetchMarks();
        try {
            Iterator<Tuple2<TopicIdPartition, FetchRequest.PartitionData>> each = partitions.iterator();
            while (each.hasNext()) {
                Tuple2<TopicIdPartition, FetchRequest.PartitionData> one = each.next();
                pendingReads.mark(marks, replicaId, one._1().topicPartition(), one._2().fetchOffset,
                    one._2().currentLeaderEpoch);
            }
        } catch (RuntimeException | Error failed) {
            marks.complete();
            throw failed;
        }
        return marks.isEmpty() ? null : new PendingFetch<>(callback, marks);
    }
}
