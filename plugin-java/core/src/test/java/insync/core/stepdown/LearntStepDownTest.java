package insync.core.stepdown;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** A broker that learns its T steps down by it, by the same rules as with a T that is set. */
class LearntStepDownTest {
    private static final long MS = 1_000_000L;
    private static final long MIN_MS = 400;
    private static final long MAX_MS = 30_000;
    private static final long WINDOW_MS = 60_000;
    private static final long APPEND_MAX_MS = 10_000;

    private final WatchedBroker broker = new WatchedBroker(learns());
    private final FakePartition events = broker.leads("events", 0);

    private static StepDownSettings learns() {
        return StepDownSettings.of(MAX_MS, WatchedBroker.FETCH_WAIT_MS).appendTimeMaxMs(APPEND_MAX_MS)
            .learnt(MIN_MS, WINDOW_MS).build();
    }

    /** Fetches and appends end, 50 a second each, for twice the window. */
    private void learn(long fetchMs, long appendMs) {
        for (long ms = 0; ms < 2 * WINDOW_MS; ms += 20) {
            broker.settings.fetchTimes().add(fetchMs * MS);
            broker.settings.appendTimes().add(appendMs * MS);
            broker.clock.ms += 20;
            if (ms % 100 == 0) {
                broker.tick();
            }
        }
    }

    @Test
    void aStallOf25SecondsEndsTheLeadershipAfterTheLearntTime() {
        learn(200, 5);
        long limit = broker.settings.fetchLimitMs();
        assertTrue(limit >= 600 && limit <= 675, "T is " + limit);
        broker.stall(events);
        broker.pass(limit);
        assertEquals(List.of(), broker.acted);
        broker.pass(broker.settings.tickMs());
        assertEquals(1, broker.acted.size());
        Decision decision = broker.acted.get(0);
        assertEquals(Reason.SLOW_FETCH, decision.reason());
        assertTrue(decision.pendingMs() > limit && decision.pendingMs() <= limit + broker.settings.tickMs());
        broker.pass(25_000);
        assertEquals(1, broker.acted.size());
        assertEquals(limit, broker.settings.fetchLimitMs(), "it has taught nothing");
    }

    @Test
    void theDecisionSaysWhichLimitItExceededAndWhatThatIsFrom() {
        learn(200, 5);
        events.appendingMs = broker.clock.ms;
        broker.pass(MIN_MS + broker.settings.tickMs());
        LimitBasis limit = broker.acted.get(0).limit();
        assertEquals(LimitBasis.APPEND, limit.site());
        assertEquals(MIN_MS, limit.limitMs());
        assertEquals(5, limit.percentileMs());
        assertEquals(MIN_MS, limit.minMs());
        assertEquals(APPEND_MAX_MS, limit.maxMs());
        assertTrue(limit.samples() > 2_000, () -> limit.samples() + " samples");
    }

    @Test
    void withTooFewTimesAStallLastsForTheUpperBound() {
        broker.pass(10_000);
        broker.stall(events);
        broker.pass(MAX_MS);
        assertEquals(List.of(), broker.acted);
        broker.pass(broker.settings.tickMs());
        LimitBasis limit = broker.acted.get(0).limit();
        assertEquals(MAX_MS, limit.limitMs());
        assertEquals(-1, limit.percentileMs());
    }

    /** The watch looks four times per T that is in force. */
    @Test
    void ticksFollowT() {
        assertEquals(1_000, broker.settings.tickMs());
        learn(200, 500);
        assertTrue(broker.settings.tickMs() <= 675 / 4 && broker.settings.tickMs() >= 600 / 4, () -> "tick " + broker.settings.tickMs());
    }

    /** A frozen process finds its fetches old; those that end then are late together. */
    @Test
    void aPauseOfTheProcessNeitherActsNorTeaches() {
        learn(200, 5);
        long limit = broker.settings.fetchLimitMs();
        broker.stall(events);
        broker.clock.ms += 20_000;
        broker.tick();
        broker.recover(events);
        for (int i = 0; i < 200; i++) {
            broker.settings.fetchTimes().add(20_000 * MS);
            broker.settings.appendTimes().add(20_000 * MS);
        }
        broker.pass(WINDOW_MS / LearntLimit.SLOTS + 1_000);
        assertEquals(List.of(), broker.acted);
        assertEquals(limit, broker.settings.fetchLimitMs());
        assertEquals(MIN_MS, broker.settings.appendLimitMs());
    }

    /** The broker's cores have too much work: every tick comes in time, but its process is paused for short times in between. */
    private void pausedFor(long ms) {
        broker.pausedMs += ms;
    }

    @Test
    void aLearntTIsLongerByThePausesOfTheProcessInTheMeantime() {
        learn(200, 5);
        pausedFor(5_000);
        broker.pass(1_000);
        events.appendingMs = broker.clock.ms;
        broker.pass(200);
        pausedFor(300);
        broker.pass(MIN_MS + 300 - 200);
        assertEquals(List.of(), broker.acted);
        broker.pass(broker.settings.tickMs());
        Decision decision = broker.acted.get(0);
        assertEquals(Reason.SLOW_APPEND, decision.reason());
        assertEquals(MIN_MS, decision.limit().limitMs());
        assertEquals(300, decision.limit().pausedMs());
    }

    @Test
    void aFetchMayTakeLongerByThePausesAsWell() {
        learn(200, 5);
        long limit = broker.settings.fetchLimitMs();
        broker.stall(events);
        broker.pass(200);
        pausedFor(300);
        broker.pass(limit + 300 - 200);
        assertEquals(List.of(), broker.acted);
        broker.pass(broker.settings.tickMs());
        LimitBasis basis = broker.acted.get(0).limit();
        assertEquals(limit, basis.limitMs());
        assertEquals(300, basis.pausedMs());
    }

    /** A process that hardly runs is slow, whatever the reason. */
    @Test
    void withPausesALearntTIsItsUpperBoundAtMost() {
        learn(200, 5);
        events.appendingMs = broker.clock.ms;
        for (long ms = 0; ms < APPEND_MAX_MS; ms += 100) {
            pausedFor(98);
            broker.pass(100);
        }
        assertEquals(List.of(), broker.acted);
        broker.pass(broker.settings.tickMs());
        assertEquals(APPEND_MAX_MS - MIN_MS, broker.acted.get(0).limit().pausedMs());
    }

    @Test
    void pausesDoNotChangeATThatIsSet() {
        WatchedBroker fixed = new WatchedBroker(WatchedBroker.settings().build());
        FakePartition led = fixed.leads("events", 0);
        fixed.pass(1_000);
        fixed.stall(led);
        fixed.pausedMs += 1_000;
        fixed.passT();
        assertEquals(1, fixed.acted.size());
        assertNull(fixed.acted.get(0).limit());
    }

    @Test
    void fixedTimesLearnNothingAndKeepNothing() {
        StepDownSettings fixed = WatchedBroker.settings().appendTimeMaxMs(700).build();
        assertNull(fixed.fetchTimes());
        assertNull(fixed.appendTimes());
        assertEquals(WatchedBroker.T_MS, fixed.fetchLimitMs());
        assertEquals(700, fixed.appendLimitMs());
        assertEquals(-1, WatchedBroker.settings().build().appendLimitMs());
        assertNull(StepDownSettings.of(MAX_MS, 500).learnt(MIN_MS, WINDOW_MS).build().appendTimes(), "appends are not timed");
    }

    @Test
    void anUpdateKeepsWhatIsLearntAndChangesTheBounds() {
        learn(200, 5);
        long limit = broker.settings.fetchLimitMs();
        Object times = broker.settings.fetchTimes();
        broker.settings.become(StepDownSettings.of(550, 500).learnt(50, 2 * WINDOW_MS).build());
        assertSame(times, broker.settings.fetchTimes());
        assertEquals(550, broker.settings.fetchLimitMs());
        broker.settings.become(StepDownSettings.of(MAX_MS, 500).learnt(50, WINDOW_MS).build());
        assertEquals(limit, broker.settings.fetchLimitMs());
    }

    @Test
    void anUpdateTurnsLearningOnAndOff() {
        learn(200, 5);
        broker.settings.become(WatchedBroker.settings().build());
        assertNull(broker.settings.fetchTimes());
        assertEquals(WatchedBroker.T_MS, broker.settings.fetchLimitMs());
        broker.settings.become(learns());
        assertNotNull(broker.settings.fetchTimes());
        assertEquals(MAX_MS, broker.settings.fetchLimitMs(), "from the begin");
    }

    @Test
    void theFiguresAreOfTheBrokerThatStepsDown() {
        assertEquals(-1, broker.stats.fetchLimitMs());
        assertEquals(-1, broker.stats.appendLimitMs());
        broker.stats.inForce(broker.settings);
        assertEquals(MAX_MS, broker.stats.fetchLimitMs());
        assertEquals(APPEND_MAX_MS, broker.stats.appendLimitMs());
        broker.stats.inForce(null);
        assertEquals(-1, broker.stats.fetchLimitMs());
    }
}
