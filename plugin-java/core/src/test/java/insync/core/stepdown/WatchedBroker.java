package insync.core.stepdown;

import insync.core.ManualClock;
import insync.core.events.EventLog;
import insync.core.log.BrokerLog;
import insync.core.log.StepDownReport;
import insync.core.stepdown.PeerFetches.OutgoingFetch;
import insync.core.stepdown.StepDownWatch.FirstFetches;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Broker 0 with a watch, its partitions, its two peers 1 and 2, and a shared clock. */
final class WatchedBroker {
    static final long T_MS = 2_000;
    static final long FETCH_WAIT_MS = 500;
    static final StepDownReport QUIET = new StepDownReport(new BrokerLog(), new EventLog());

    final ManualClock clock = new ManualClock();
    final StepDownStats stats;
    final PeerFetches fetches = new PeerFetches(clock);
    final OutgoingFetch toFirst = fetches.fetcher(1);
    final OutgoingFetch toSecond = fetches.fetcher(2);
    final List<FakePartition> led = new ArrayList<>();
    final StepDownSettings settings;
    final StepDownWatch watch;
    int[] live = {1, 2};
    /** How many fetches of followers it has served. */
    long ended = FirstFetches.COUNT;
    /** What checks of partitions threw. */
    final List<Throwable> failures = new ArrayList<>();
    /** Every decision that acted, in order. */
    final List<Decision> acted = new ArrayList<>();

    WatchedBroker(StepDownSettings settings) {
        this(settings, QUIET);
    }

    WatchedBroker(StepDownSettings settings, StepDownReport report) {
        this.settings = settings;
        this.stats = new StepDownStats(report);
        this.watch = new StepDownWatch(0, settings, clock, fetches, () -> ended, stats, failures::add);
    }

    /** As the KIP has it: only fetches count, and the ex-leader stays in the ISR. */
    static StepDownSettings settings() {
        return StepDownSettings.of(T_MS, FETCH_WAIT_MS).appends(false).exLeader(StepDownSettings.ExLeader.KEEP_LAST);
    }

    FakePartition leads(String topic, int partition) {
        FakePartition one = new FakePartition(topic, partition);
        led.add(one);
        return one;
    }

    /** Makes a fetch of each of these partitions pending from now on. */
    void stall(FakePartition... partitions) {
        for (FakePartition one : partitions) {
            one.overdueMs = clock.ms;
        }
    }

    void recover(FakePartition... partitions) {
        for (FakePartition one : partitions) {
            one.overdueMs = FakePartition.NOT_OVERDUE;
        }
    }

    /** Lets time pass, with a tick whenever one is due. */
    List<Decision> pass(long ms) {
        List<Decision> last = List.of();
        long end = clock.ms + ms;
        while (clock.ms < end) {
            clock.ms = Math.min(end, clock.ms + settings.tickMs());
            last = tick();
        }
        return last;
    }

    List<Decision> tick() {
        List<Decision> decisions = watch.tick(led, live, List.of());
        decisions.stream().filter(Decision::acts).forEach(acted::add);
        return decisions;
    }

    /** Lets time pass until a slow fetch must have been detected. */
    void passT() {
        pass(T_MS + settings.tickMs());
    }

    /** Returns the reasons for which step-downs were withheld at the last tick. */
    List<Reason> reasons() {
        return tick().stream().map(decision -> decision.reason).collect(Collectors.toList());
    }

    /** Answers a request as a controller that executes it. */
    void grant(Decision decision) {
        led.removeIf(one -> one.topic.equals(decision.topic) && one.partition == decision.partition);
        watch.answered(decision, Outcome.DONE, "test", null);
    }
}
