package insync.agent.isr;

import insync.core.FetchMarks;
import insync.core.Insync;
import scala.Function1;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * A follower's fetch with marks: Kafka's response callback, and after it the release of the marks.
 *
 * @param <R> the response that the callback takes
 */
public final class PendingFetch<R> extends AbstractFunction1<R, BoxedUnit> {
    private final Function1<R, BoxedUnit> callback;
    private final FetchMarks marks;

    public PendingFetch(Function1<R, BoxedUnit> callback, FetchMarks marks) {
        this.callback = callback;
        this.marks = marks;
    }

    @Override
    public BoxedUnit apply(R response) {
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
