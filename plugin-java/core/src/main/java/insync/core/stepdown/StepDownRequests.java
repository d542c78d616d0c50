package insync.core.stepdown;

import insync.core.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;

/**
 * Tracks the step-downs that this broker requested, each until its outcome is known and the metadata shows the new
 * leader. Metadata overrules responses: if a response is lost, Kafka repeats the request and gets FENCED_LEADER_EPOCH,
 * although the first one succeeded. Responses come on any thread; the watch's thread calls {@link #look}.
 *
 * @param <P> the broker's partition
 */
public final class StepDownRequests<P> {
    /** How long after such a response the metadata may still show that the request succeeded. */
    private static final long DOUBT_NANOS = 5_000_000_000L;
    /** How long a request is tracked; the watch gives it up earlier. */
    private static final long FORGET_NANOS = 60_000_000_000L;

    private final Clock clock;
    private final StepDownWatch watch;
    private final Collection<StepDownRequest<P>> open = new ConcurrentLinkedQueue<>();

    public StepDownRequests(Clock clock, StepDownWatch watch) {
        this.clock = clock;
        this.watch = watch;
    }

    /**
     * Starts to track a decision, before it is executed.
     *
     * @param led the partition, or null if it was removed meanwhile
     * @param way how leadership is given away, for the listeners
     */
    public StepDownRequest<P> begin(Decision decision, P led, String way) {
        StepDownRequest<P> begun = new StepDownRequest<>(decision, led, way, clock, watch);
        open.add(begun);
        return begun;
    }

    /** Returns whether the metadata does not yet show every requested step-down. */
    public boolean isAnyOpen() {
        return !open.isEmpty();
    }

    /**
     * Settles the requests that the metadata shows as done, and gives up those that are too old.
     *
     * @param ledElsewhere whether the metadata names another broker as leader, in a later epoch
     * @return the requests that are done and that the metadata shows now
     */
    public List<StepDownRequest<P>> look(Predicate<StepDownRequest<P>> ledElsewhere) {
        List<StepDownRequest<P>> shown = new ArrayList<>();
        long now = clock.nanos();
        for (StepDownRequest<P> one : open) {
            if (ledElsewhere.test(one)) {
                one.settle(Outcome.DONE, null);
                open.remove(one);
                shown.add(one);
            } else if (one.isDoubtedSince(now, DOUBT_NANOS)) {
                one.settleDoubt();
            } else if (one.isOver() || now - one.decision.atNanos > FORGET_NANOS) {
                open.remove(one);
            }
        }
        return shown;
    }
}
