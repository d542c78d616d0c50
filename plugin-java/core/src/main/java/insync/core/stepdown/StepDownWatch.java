package insync.core.stepdown;

import insync.core.Clock;
import insync.core.isr.FollowerTracker;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Implements solution 2 of KIP-501 in one broker: finds led partitions whose fetches, or appends, the leader processes for too
 * long, and decides whether and to which broker to give their leadership. It only decides; others act.
 *
 * <p>A separate thread ticks it, because the threads of Kafka's schedulers may be stalled.
 */
public final class StepDownWatch {
    /** The longest time to wait for an answer, nanoseconds. */
    public static final long ANSWER_NANOS = 30_000_000_000L;
    private static final String NO_ANSWER = "no answer";

    private final StepDownSettings settings;
    private final Clock clock;
    private final StepDownStats stats;
    private final RunningTime time;
    private final Slowness slowness;
    private final Peers peers;
    private final LedPartitions partitions;
    private final StepDownRules rules;
    private final FirstFetches first;
    private final Consumer<Throwable> failed;
    private final Queue<Map.Entry<Decision, Outcome>> answers = new ConcurrentLinkedQueue<>();
    private long dueNanos;
    private boolean followedHangs;

    /**
     * @param self this broker's id
     * @param fetches how fast the peers answer this broker
     * @param ended how many fetches of followers this broker has served since its start
     * @param failed gets what the check of a partition throws; the others are checked
     */
    public StepDownWatch(int self, StepDownSettings settings, Clock clock, PeerFetches fetches, LongSupplier ended,
            StepDownStats stats, Consumer<Throwable> failed) {
        this.settings = settings;
        this.clock = clock;
        this.stats = stats;
        this.failed = failed;
        this.time = new RunningTime(settings);
        this.slowness = new Slowness(settings);
        this.peers = new Peers(settings, fetches, stats);
        this.partitions = new LedPartitions(settings);
        this.rules = new StepDownRules(self, settings, peers);
        this.first = new FirstFetches(ended);
    }

    /**
     * Checks every partition that this broker leads. One thread calls it every {@link StepDownSettings#tickMs}, or
     * earlier if {@link #dueMs} is shorter.
     *
     * @param led the partitions, each once
     * @param livePeers ids of the other brokers that are live, unfenced and not shutting down
     * @param followed the pending appends to partitions that this broker follows
     * @return one decision per partition that is slow, except those already given away. The caller requests each
     *     that {@link Decision#acts acts}, and then calls {@link #answered} once for it
     */
    public List<Decision> tick(Iterable<? extends PartitionView> led, int[] livePeers, List<PendingAppend> followed) {
        long now = clock.nanos();
        long elapsed = time.tick(now);
        takeAnswers(now);
        List<SlowPartition> slow = slowOf(led, now);
        long oldest = slow.isEmpty() ? 0 : slow.get(0).age;
        peers.tick(time, elapsed, livePeers);
        followedHangs = hangs(followed);
        if (slowness.tick(elapsed, !slow.isEmpty() || followedHangs)) {
            stats.report.leaderSlow(slowness.isSlow(), oldest / 1_000_000L);
        }
        stats.slow = slowness.isSlow();
        stats.slowPeers = peers.slow();
        return decide(slow, now);
    }

    /** Notes that nobody ticks it any more. */
    public void end() {
        stats.slow = false;
        stats.slowPeers = 0;
    }

    /** Returns whether an append to a partition that this broker follows hung for longer than T at the last tick. */
    public boolean followsTooSlowly() {
        return followedHangs && !peers.tooManySlow();
    }

    /** Returns whether an append to a partition that this broker follows takes longer than T. */
    private boolean hangs(List<PendingAppend> appends) {
        if (!settings.timesAppends()) {
            return false;
        }
        long oldest = 0;
        for (PendingAppend each : appends) {
            oldest = Math.max(oldest, time.since(each.sinceNanos));
        }
        long limit = settings.processTimeMaxNanos();
        if (oldest < limit) {
            dueNanos = Math.min(dueNanos, limit - oldest);
        }
        return oldest > limit;
    }

    /**
     * Returns how long after the last tick the next one is due, milliseconds. It is no later than the time when a pending
     * fetch or append becomes slow, so that a stall costs T, not T and a tick.
     */
    public long dueMs() {
        return 1 + dueNanos / 1_000_000L;
    }

    /**
     * Records the outcome of a decision that acts; called by any thread, takes no lock.
     *
     * @param way how it was requested, null if it was not
     * @param error null if there is none
     */
    public void answered(Decision decision, Outcome outcome, String way, String error) {
        stats.report.ended(decision, outcome, way, error, clock.nanos());
        answers.add(Map.entry(decision, outcome));
    }

    /** Returns the partitions with a slow fetch, a slow append or a read error, the one furthest beyond its limit first. */
    private List<SlowPartition> slowOf(Iterable<? extends PartitionView> led, long now) {
        List<SlowPartition> slow = new ArrayList<>();
        List<SlowPartition> soon = new ArrayList<>();
        dueNanos = settings.tickMs() * 1_000_000L;
        partitions.begin(now);
        long more = first.moreNanos();
        for (PartitionView partition : led) {
            try {
                LedPartitions.Entry entry = partitions.led(partition, now);
                SlowPartition worst = worse(worse(ofFetches(partition, entry, more, now), ofErrors(partition, entry)),
                    ofAppends(partition, entry));
                if (worst == null) {
                    entry.answeredInTime(now);
                } else {
                    (worst.isSlow() ? slow : soon).add(worst);
                }
            } catch (RuntimeException | Error thrown) {
                failed.accept(thrown);
            }
        }
        if (slow.stream().anyMatch(one -> one.reason == Reason.SLOW_APPEND)) {
            slow.addAll(soon);
        } else {
            soon.forEach(one -> one.entry.answeredInTime(now));
        }
        slow.forEach(one -> one.entry.calmSince = now);
        slow.sort(Comparator.comparingDouble(SlowPartition::timesLimit).reversed());
        return slow;
    }

    private static SlowPartition worse(SlowPartition one, SlowPartition other) {
        return one == null || other != null && other.timesLimit() > one.timesLimit() ? other : one;
    }

    /** Returns a read error. It is as bad as a fetch that has just become slow. */
    private SlowPartition ofErrors(PartitionView partition, LedPartitions.Entry entry) {
        long limit = settings.processTimeMaxNanos();
        return partition.readFailed()
            ? new SlowPartition(partition, entry, Reason.READ_ERROR, limit + 1, limit, null) : null;
    }

    /**
     * Returns the partition's oldest fetch if it is slow, or might go with a slow append ({@link #ofAppends}), else null. Handler
     * threads that hang in appends leave the fetches of all partitions in the queue.
     *
     * @param more for how much longer than T a fetch may be overdue now, nanoseconds
     */
    private SlowPartition ofFetches(PartitionView partition, LedPartitions.Entry entry, long more, long now) {
        long least = settings.processTimeMaxNanos() + more;
        long soon = settings.timesAppends() ? least / 2 : least;
        long since = partition.overdueSince(now - Math.min(soon, least - settings.tickMs() * 1_000_000L));
        if (since == FollowerTracker.NOT_PENDING) {
            dueNanos = Math.min(dueNanos, least);
            return null;
        }
        return slowOrSoon(partition, entry, Reason.SLOW_FETCH, since, least, null);
    }

    /**
     * Returns the partition's oldest append if it has been pending for more than half of its limit, else null. One that is not slow
     * yet goes with those that are: to become a follower, the broker waits for the first slow append, and until then it does not
     * learn who leads the partitions that it gives away later.
     */
    private SlowPartition ofAppends(PartitionView partition, LedPartitions.Entry entry) {
        PendingAppend oldest = settings.timesAppends() ? partition.oldestAppend() : null;
        if (oldest == null) {
            return null;
        }
        return slowOrSoon(partition, entry, Reason.SLOW_APPEND, oldest.sinceNanos, settings.processTimeMaxNanos(), oldest.site);
    }

    /** Returns a partition if it is slow, or may go with one that has a slow append; otherwise null. */
    private SlowPartition slowOrSoon(PartitionView partition, LedPartitions.Entry entry, Reason reason, long since, long limit,
            AppendSite site) {
        SlowPartition one = new SlowPartition(partition, entry, reason, time.since(since), limit, site);
        if (!one.isSlow()) {
            dueNanos = Math.min(dueNanos, one.limit - one.age);
        }
        return one.isSlow() || settings.timesAppends() && one.timesLimit() > 0.5 ? one : null;
    }

    private List<Decision> decide(List<SlowPartition> slow, long now) {
        List<Decision> decisions = new ArrayList<>();
        if (slow.isEmpty()) {
            rules.quiet();
        }
        for (SlowPartition one : slow) {
            if (one.entry.isAwaitedSince(now, Math.max(ANSWER_NANOS, settings.processTimeMaxNanos()))) {
                unanswered(one, now);
            }
            if (!one.entry.given) {
                try {
                    Decision decision = rules.decide(one, now);
                    decisions.add(decision);
                    noteOnce(decision, one.entry);
                } catch (RuntimeException | Error thrown) {
                    failed.accept(thrown);
                }
            }
        }
        return decisions;
    }

    /**
     * Passes on a decision once per reason and partition while its fetches are slow; not while an answer is awaited.
     */
    private void noteOnce(Decision decision, LedPartitions.Entry entry) {
        if (decision.acts()) {
            entry.isNew(decision.reason);
            stats.decided(decision);
        } else if (decision.reason != Reason.AWAITING_ANSWER && entry.isNew(decision.reason)) {
            stats.decided(decision);
        }
    }

    private void takeAnswers(long now) {
        for (Map.Entry<Decision, Outcome> answer = answers.poll(); answer != null; answer = answers.poll()) {
            Decision decision = answer.getKey();
            LedPartitions.Entry entry = partitions.find(decision.topic, decision.partition);
            if (entry != null && entry.isAwaited() && entry.decided == decision) {
                end(entry, answer.getValue(), now);
            }
        }
    }

    private void unanswered(SlowPartition one, long now) {
        stats.report.ended(one.entry.decided, Outcome.FAILED, null, NO_ANSWER, now);
        end(one.entry, Outcome.FAILED, now);
    }

    private void end(LedPartitions.Entry entry, Outcome outcome, long now) {
        stats.ended(outcome);
        if (outcome == Outcome.DONE) {
            entry.given(now);
            return;
        }
        rules.notGiven(entry.decided);
        if (outcome == Outcome.FAILED) {
            entry.failed(now);
        } else {
            entry.refused(now);
        }
    }

    /**
     * Gives a broker more time for the first fetches that it serves after its start. Its JVM loads and compiles that code then, which takes
     * seconds on a host whose CPUs are busy, and makes no slow leader.
     */
    static final class FirstFetches {
        /** How many fetches are the first ones. */
        static final int COUNT = 20;
        /** How much longer than T one of them may be overdue, nanoseconds. */
        static final long MORE_NANOS = 5_000_000_000L;

        private final LongSupplier ended;
        private boolean over;

        /** @param ended how many fetches of followers this broker has served since its start */
        FirstFetches(LongSupplier ended) {
            this.ended = ended;
        }

        /** Returns how much longer than T a fetch may be overdue now, nanoseconds; only the watch's thread calls it. */
        long moreNanos() {
            over = over || ended.getAsLong() >= COUNT;
            return over ? 0 : MORE_NANOS;
        }
    }
}
