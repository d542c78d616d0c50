package insync.agent.isr;

import insync.core.Insync;
import insync.core.isr.FetchMarks;
import org.apache.kafka.common.requests.FetchRequest;
import scala.Function1;
import scala.Tuple2;
import scala.collection.Iterator;
import scala.collection.Seq;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * Wraps the response callback of a follower's fetch in scope "read": calls Kafka's callback, then releases the marks.
 *
 * @param <R> the response that the callback takes
 */
public final class PendingFetch<R> extends AbstractFunction1<R, BoxedUnit> {
    private final Function1<R, BoxedUnit> callback;
    private final FetchMarks marks;
    /** The connection of the fetch, or null if it is not known. */
    private final String connectionId;

    private PendingFetch(Function1<R, BoxedUnit> callback, FetchMarks marks) {
        this.callback = callback;
        this.marks = marks;
        this.connectionId = ReadConnections.pending(marks);
    }

    /**
     * Marks the partitions of a follower's fetch at the start of ReplicaManager.fetchMessages.
     *
     * @param maxWaitMs how long the fetch may wait for records
     * @return the response callback to use instead, or null if nothing is marked, because the fetch protects no follower
     */
    public static <R> PendingFetch<R> begin(PendingReads pendingReads, int replicaId, long maxWaitMs,
            Seq<? extends Tuple2<?, FetchRequest.PartitionData>> partitions, Function1<R, BoxedUnit> callback) {
        FetchMarks marks = pendingReads.newMarks(maxWaitMs);
        try {
            Iterator<? extends Tuple2<?, FetchRequest.PartitionData>> each = partitions.iterator();
            while (each.hasNext()) {
                Tuple2<?, FetchRequest.PartitionData> one = each.next();
                pendingReads.mark(marks, replicaId, one._1(), one._2());
            }
            marks.marked();
        } catch (RuntimeException | Error failed) {
            marks.marked();
            marks.complete();
            throw failed;
        }
        return marks.isEmpty() ? null : new PendingFetch<>(callback, marks);
    }

    @Override
    public BoxedUnit apply(R response) {
        try {
            return callback.apply(response);
        } finally {
            complete();
        }
    }

    /** Releases the marks once. An error here is recorded and does not fail the fetch. */
    public void complete() {
        try {
            marks.complete();
            if (connectionId != null) {
                ReadConnections.ended(connectionId, marks);
            }
        } catch (RuntimeException | Error failure) {
            Insync.failed(failure);
        }
    }
}
