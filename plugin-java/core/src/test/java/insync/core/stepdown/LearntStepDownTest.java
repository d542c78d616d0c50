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

    @Test
    void fixedTimesLearnNothingAndKeepNothing() {
        StepDownSettings fixed = WatchedBroker.settings().appendTimeMaxMs(700).build();
        assertNull(fixed.fetchTimes());
        assertNull(fixed.appendTimes());
        assertNull(fixed.basis(Reason.SLOW_FETCH));
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
