package insync.agent.isr;

import insync.core.Insync;
import insync.core.isr.FetchMarks;
import scala.Function1;
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

    PendingFetch(Function1<R, BoxedUnit> callback, FetchMarks marks) {
        this.callback = callback;
        this.marks = marks;
        this.connectionId = ReadConnections.pending(marks);
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
