package insync.core.stepdown;

import insync.core.Clock;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Tracks one step-down that this broker requested.
 *
 * @param <P> the broker's partition
 */
public final class StepDownRequest<P> {
    public final Decision decision;
    /** The partition, or null if it was removed when the step-down was decided. */
    public final P led;
    private final Clock clock;
    private final StepDownWatch watch;
    private final AtomicReference<Outcome> outcome = new AtomicReference<>();
    private volatile String way;
    private volatile long doubtNanos;
    private volatile String doubt;

    StepDownRequest(Decision decision, P led, String way, Clock clock, StepDownWatch watch) {
        this.decision = decision;
        this.led = led;
        this.way = way;
        this.clock = clock;
        this.watch = watch;
    }

    /** Notes that the first way changed nothing and that the other way is tried. */
    public void way(String next) {
        way = next;
    }

    /**
     * Settles the outcome; only the first call counts.
     *
     * @param error null if there is none
     */
    public void settle(Outcome now, String error) {
        if (outcome.compareAndSet(null, now)) {
            watch.answered(decision, now, way, error);
        }
    }

    /** Notes the response that this epoch is over, possibly because this same request succeeded. */
    public void doubt(String error) {
        doubtNanos = clock.nanos();
        doubt = error;
    }

    boolean isDoubtedSince(long now, long limit) {
        return doubt != null && now - doubtNanos > limit;
    }

    void settleDoubt() {
        settle(Outcome.REFUSED, doubt);
    }

    /** Returns whether no further result is expected. */
    boolean isOver() {
        return outcome.get() == Outcome.REFUSED || outcome.get() == Outcome.FAILED;
    }
}
