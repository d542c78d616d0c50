package insync.agent.v4_3;

import insync.core.FetchMarks;
import insync.core.Insync;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.server.storage.log.FetchPartitionData;
import scala.Function1;
import scala.Tuple2;
import scala.collection.Seq;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/** A follower's fetch with marks: Kafka's response callback, and after it the release of the marks. */
public final class PendingFetch extends AbstractFunction1<Seq<Tuple2<TopicIdPartition, FetchPartitionData>>, BoxedUnit> {
    private final Function1<Seq<Tuple2<TopicIdPartition, FetchPartitionData>>, BoxedUnit> callback;
    private final FetchMarks marks;

    PendingFetch(Function1<Seq<Tuple2<TopicIdPartition, FetchPartitionData>>, BoxedUnit> callback, FetchMarks marks) {
        this.callback = callback;
        this.marks = marks;
    }

    @Override
    public BoxedUnit apply(Seq<Tuple2<TopicIdPartition, FetchPartitionData>> response) {
        try {
            return callback.apply(response);
        } finally {
            complete();
        }
    }

    /** Releases the marks once; the fetch itself never fails for it. */
    public void complete() {
        try {
            marks.complete();
        } catch (RuntimeException | Error failure) {
            Insync.failed(failure);
        }
    }
}
