package insync.core.stepdown;

import insync.core.Clock;
import insync.core.events.EventLog;
import insync.core.isr.FollowerTracker;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Implements solution 2 of KIP-501 in one broker: finds led partitions whose fetches the leader processes for too
 * long, and decides whether and to which broker to give their leadership. It only decides; others act.
 *
 * <p>A separate thread ticks it, because the threads of Kafka's schedulers may be stalled.
 */
public final class StepDownWatch {
    /** The longest time to wait for an answer, nanoseconds. */
    static final long ANSWER_NANOS = 30_000_000_000L;
    private static final String NO_ANSWER = "no answer";

    private final StepDownSettings settings;
    private final Clock clock;
    private final EventLog events;
    private final StepDownStats stats;
    private final RunningTime time;
    private final SlowScore score;
    private final Peers peers;
    private final LedPartitions partitions;
    private final StepDownRules rules;
    private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
    private long dueNanos;

    /**
     * @param self this broker's id
     * @param fetches how fast the peers answer this broker
     */
    public StepDownWatch(int self, StepDownSettings settings, Clock clock, PeerFetches fetches, EventLog events,
            StepDownStats stats) {
        this.settings = settings;
        this.clock = clock;
        this.events = events;
        this.stats = stats;
        this.time = new RunningTime(settings);
        this.score = new SlowScore(settings);
        this.peers = new Peers(settings, fetches, events);
        this.partitions = new LedPartitions(settings);
        this.rules = new StepDownRules(self, settings, score, peers);
    }

    /**
     * Checks every partition that this broker leads. One thread calls it every {@link StepDownSettings#tickMs}, or
     * earlier if {@link #dueMs} is shorter.
     *
     * @param led the partitions, each once
     * @param livePeers ids of the other brokers that are live, unfenced and not shutting down
     * @return one decision per partition with a slow fetch, except those already given away. The caller requests each
     *     that {@link Decision#acts acts}, and then calls {@link #answered} once for it
     */
    public List<Decision> tick(Iterable<? extends PartitionView> led, int[] livePeers) {
        long now = clock.nanos();
        long elapsed = time.tick(now);
        takeAnswers(now);
        List<SlowPartition> slow = slowOf(led, now);
        long oldest = slow.isEmpty() ? 0 : slow.get(0).age();
        peers.tick(time, elapsed, livePeers);
        if (score.tick(elapsed, oldest)) {
            events.emit("leader_slow", EventLog.fields("slow", score.isSlow(), "score",
                    StepDownSettings.rounded(score.value()),
                "pending_ms", oldest / 1_000_000L));
        }
        stats.seen(score.value(), peers.slow());
        return decide(slow, now);
    }

    /**
     * Returns how long after the last tick the next one is due, milliseconds. It is no later than the time when a pending
     * fetch becomes slow, so that a stall costs T, not T and a tick.
     */
    public long dueMs() {
        return 1 + dueNanos / 1_000_000L;
    }

    /**
     * Records the outcome of a decision that acts; called by any thread, takes no lock.
     *
     * @param way for the event: how it was requested, null if it was not
     * @param error for the event: the error, null if there is none
     */
    public void answered(Decision decision, Outcome outcome, String way, String error) {
        long now = clock.nanos();
        events.emit("step_down_answered", decision.toMap(outcome, way, error, now));
        stats.answered(decision, outcome, way, error, now);
        answers.add(new Answer(decision, outcome));
    }

    /** Returns the partitions with a slow fetch or a read error, the oldest fetch first. */
    private List<SlowPartition> slowOf(Iterable<? extends PartitionView> led, long now) {
        List<SlowPartition> slow = new ArrayList<>();
        long limit = settings.processTimeMaxNanos();
        dueNanos = settings.tickMs() * 1_000_000L;
        long before = now - limit + dueNanos;
        partitions.begin(now);
        for (PartitionView partition : led) {
            LedPartitions.Entry entry = partitions.led(partition, now);
            long since = partition.overdueSince(before);
            long age = since == FollowerTracker.NOT_PENDING ? 0 : time.since(since);
            boolean failing = entry.isFailing(partition.readErrors());
            if (age > limit || failing) {
                entry.slow(now);
                // For the score an error is as bad as a fetch that has just become slow.
                slow.add(age > limit ? new SlowPartition(partition, entry, age, Reason.SLOW_FETCH)
                    : new SlowPartition(partition, entry, limit + 1, Reason.READ_ERROR));
            } else {
                dueNanos = Math.min(dueNanos, limit - age);
                entry.answeredInTime(now);
            }
        }
        slow.sort(Comparator.comparingLong(SlowPartition::age).reversed());
        return slow;
    }

    private List<Decision> decide(List<SlowPartition> slow, long now) {
        List<Decision> decisions = new ArrayList<>();
        if (slow.isEmpty()) {
            rules.quiet();
        }
        for (SlowPartition one : slow) {
            if (one.entry().isAwaitedSince(now, Math.max(ANSWER_NANOS, settings.processTimeMaxNanos()))) {
                unanswered(one, now);
            }
            if (!one.entry().isGiven()) {
                Decision decision = rules.decide(one, now);
                decisions.add(decision);
                emitOnce(decision, one.entry());
            }
        }
        return decisions;
    }

    /**
     * Emits a decision once per reason and partition while its fetches are slow; not while an answer is awaited.
     */
    private void emitOnce(Decision decision, LedPartitions.Entry entry) {
        if (decision.acts()) {
            entry.isNew(decision.reason());
            stats.decided(decision);
            events.emit("step_down", decision.toMap());
        } else if (decision.reason() != Reason.AWAITING_ANSWER && entry.isNew(decision.reason())) {
            stats.decided(decision);
            events.emit("step_down_withheld", decision.toMap());
        }
    }

    private void takeAnswers(long now) {
        for (Answer answer = answers.poll(); answer != null; answer = answers.poll()) {
            Decision decision = answer.decision;
            LedPartitions.Entry entry = partitions.find(decision.topic(), decision.partition());
            boolean inTime = entry != null && entry.isAwaited() && entry.epoch() == decision.leaderEpoch();
            if (inTime) {
                end(entry, answer.outcome, now);
            }
        }
    }

    private void unanswered(SlowPartition one, long now) {
        Decision decision = one.entry().decided();
        events.emit("step_down_answered", decision.toMap(Outcome.FAILED, null, NO_ANSWER, now));
        stats.answered(decision, Outcome.FAILED, null, NO_ANSWER, now);
        end(one.entry(), Outcome.FAILED, now);
    }

    private void end(LedPartitions.Entry entry, Outcome outcome, long now) {
        stats.ended(outcome);
        if (outcome == Outcome.DONE) {
            entry.given(now);
        } else {
            rules.notGiven();
            // A request that failed may succeed soon; one that the controller refused would be refused again.
            entry.refused(now, settings.processTimeMaxNanos() / (outcome == Outcome.FAILED ? 4 : 1));
        }
    }

    private static final class Answer {
        private final Decision decision;
        private final Outcome outcome;

        Answer(Decision decision, Outcome outcome) {
            this.decision = decision;
            this.outcome = outcome;
        }
    }
}
