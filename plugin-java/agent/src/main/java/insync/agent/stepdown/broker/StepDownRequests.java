package insync.agent.stepdown.broker;

import insync.core.Clock;
import insync.core.stepdown.Decision;
import insync.core.stepdown.Outcome;
import insync.core.stepdown.StepDownWatch;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

/**
 * Tracks the step-downs that this broker requested, each until its outcome is known and the metadata shows the new
 * leader. Metadata overrules responses: if a response is lost, Kafka repeats the request and gets FENCED_LEADER_EPOCH,
 * although the first one succeeded. Responses come on any thread; the watch's thread calls {@link #look}.
 */
final class StepDownRequests {
    /** How long after such a response the metadata may still show that the request succeeded. */
    private static final long DOUBT_NANOS = 5_000_000_000L;
    /** How long a request is tracked; the watch gives it up earlier. */
    private static final long FORGET_NANOS = 60_000_000_000L;

    private final Clock clock;
    private final StepDownWatch watch;
    private final Collection<StepDownRequest> open = new ConcurrentLinkedQueue<>();

    StepDownRequests(Clock clock, StepDownWatch watch) {
        this.clock = clock;
        this.watch = watch;
    }

    /**
     * Starts to track a decision, before it is executed.
     *
     * @param way how leadership is given away, for the event
     */
    StepDownRequest begin(Decision decision, LedPartition led, String way) {
        StepDownRequest begun = new StepDownRequest(decision, led, way);
        open.add(begun);
        return begun;
    }

    /** Returns whether the metadata does not yet show every requested step-down. */
    boolean isAnyOpen() {
        return !open.isEmpty();
    }

    /**
     * Settles the requests that the metadata shows as done, and gives up those that are too old.
     *
     * @param ledElsewhere whether the metadata names another broker as leader, in a later epoch
     * @return the requests that are done and that the metadata shows now
     */
    List<StepDownRequest> look(Predicate<StepDownRequest> ledElsewhere) {
        List<StepDownRequest> shown = new ArrayList<>();
        long now = clock.nanos();
        for (StepDownRequest one : open) {
            String doubt = one.doubt;
            if (ledElsewhere.test(one)) {
                one.settle(Outcome.DONE, null);
                open.remove(one);
                shown.add(one);
            } else if (doubt != null && now - one.doubtNanos > DOUBT_NANOS) {
                one.settle(Outcome.REFUSED, doubt);
            } else if (one.isOver() || now - one.decision.atNanos() > FORGET_NANOS) {
                open.remove(one);
            }
        }
        return shown;
    }

    /** Tracks one request. */
    final class StepDownRequest {
        private final Decision decision;
        private final LedPartition led;
        private final AtomicReference<Outcome> outcome = new AtomicReference<>();
        private volatile String way;
        private volatile long doubtNanos;
        private volatile String doubt;

        private StepDownRequest(Decision decision, LedPartition led, String way) {
            this.decision = decision;
            this.led = led;
            this.way = way;
        }

        Decision decision() {
            return decision;
        }

        LedPartition led() {
            return led;
        }

        /** Notes that the first way changed nothing and that the other way is tried. */
        void way(String next) {
            way = next;
        }

        /** Settles the outcome; only the first call counts. */
        void settle(Outcome now, String error) {
            if (outcome.compareAndSet(null, now)) {
                watch.answered(decision, now, way, error);
            }
        }

        /** Notes the response that this epoch is over, possibly because this same request succeeded. */
        void doubt(String error) {
            doubtNanos = clock.nanos();
            doubt = error;
        }

        /** Returns whether no further result is expected. */
        private boolean isOver() {
            return outcome.get() == Outcome.REFUSED || outcome.get() == Outcome.FAILED;
        }
    }
}
