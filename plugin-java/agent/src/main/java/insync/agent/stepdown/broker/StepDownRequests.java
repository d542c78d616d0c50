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
 * leader. Metadata overrules answers: a request that is sent again, because its answer was lost, is answered by
 * FENCED_LEADER_EPOCH although it succeeded. Answers come on any thread; the watch's thread calls {@link #look}.
 */
final class StepDownRequests {
    /** How long after such an answer the metadata may still show that the request succeeded. */
    private static final long DOUBT_NANOS = 5_000_000_000L;
    /** How long a request is tracked; by then the watch has given it up. */
    private static final long FORGET_NANOS = 60_000_000_000L;

    private final Clock clock;
    private final StepDownWatch watch;
    private final Collection<StepDownRequest> open = new ConcurrentLinkedQueue<>();

    StepDownRequests(Clock clock, StepDownWatch watch) {
        this.clock = clock;
        this.watch = watch;
    }

    /**
     * Tracks a decision that is about to be executed.
     *
     * @param way how, for the event
     */
    StepDownRequest begin(Decision decision, LedPartition led, String way) {
        StepDownRequest begun = new StepDownRequest(decision, led, way);
        open.add(begun);
        return begun;
    }

    /** Returns whether there is any that the metadata does not show yet. */
    boolean isAnyOpen() {
        return !open.isEmpty();
    }

    /**
     * Settles the requests that the metadata shows as done, and gives up those that it does not show in time.
     *
     * @param ledElsewhere whether the metadata names another broker as leader, in a later epoch
     * @return those that are done, and now in the metadata, too
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

        /** Notes that the first way changed nothing and another one is tried. */
        void way(String next) {
            way = next;
        }

        /** Settles the outcome; only the first call counts. */
        void settle(Outcome now, String error) {
            if (outcome.compareAndSet(null, now)) {
                watch.answered(decision, now, way, error);
            }
        }

        /** Notes that the controller answers that this epoch is over, perhaps because of this very request. */
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
