package insync.core.stepdown;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import insync.core.events.EventLog;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When an append that does not end makes a leader step down. The rules after that are those of slow fetches. */
class SlowAppendTest {
    private static final long APPEND_MS = WatchedBroker.T_MS;

    private WatchedBroker broker = new WatchedBroker(WatchedBroker.settings().appends(true));
    private FakePartition events = broker.leads("events", 0);

    private void appendHangs(FakePartition... partitions) {
        for (FakePartition one : partitions) {
            one.appendingMs = broker.clock.ms;
        }
    }

    @Test
    void anAppendThatIsPendingForItsLimitMovesThePartitionOnceAndNotBefore() {
        broker.pass(10_000);
        appendHangs(events);
        broker.pass(APPEND_MS);
        assertEquals(List.of(), broker.acted);
        broker.pass(broker.settings.tickMs());
        assertEquals(1, broker.acted.size());
        Decision decision = broker.acted.get(0);
        assertEquals(Reason.SLOW_APPEND, decision.reason);
        assertTrue(decision.pendingMs >= APPEND_MS);
        assertEquals("log", EventLog.word(decision.site));
        broker.pass(20_000);
        assertEquals(1, broker.acted.size());
    }

    @Test
    void theNextTickIsDueWhenTheAppendBecomesSlow() {
        broker.pass(10_000);
        appendHangs(events);
        broker.pass(APPEND_MS - 100);
        assertTrue(broker.watch.dueMs() <= 101, "due in " + broker.watch.dueMs() + " ms");
    }

    @Test
    void anAppendCountsOnlyIfAppendsAreTimed() {
        broker = new WatchedBroker(WatchedBroker.settings());
        events = broker.leads("events", 0);
        broker.pass(10_000);
        appendHangs(events);
        broker.pass(60_000);
        assertEquals(List.of(), broker.acted);
        assertFalse(broker.stats.slow);
    }

    @Test
    void appendsAreTimedFromAnUpdateOn() {
        broker = new WatchedBroker(WatchedBroker.settings());
        events = broker.leads("events", 0);
        broker.pass(10_000);
        appendHangs(events);
        broker.pass(10_000);
        broker.settings.become(WatchedBroker.settings().appends(true));
        broker.pass(broker.settings.tickMs());
        assertEquals(1, broker.acted.size());
    }

    /** To become a follower the broker waits for the first append; until then it learns of no later leader. */
    @Test
    void appendsThatWillBeSlowSoonGoWithTheSameRequest() {
        FakePartition second = broker.leads("events", 1);
        FakePartition young = broker.leads("events", 2);
        broker.pass(10_000);
        appendHangs(events);
        broker.pass(300);
        appendHangs(second);
        broker.pass(APPEND_MS - 400);
        assertEquals(List.of(), broker.acted, "half is not enough as long as no append is slow");
        appendHangs(young);
        broker.pass(broker.settings.tickMs());
        assertEquals(2, broker.acted.size());
        assertTrue(broker.acted.stream().noneMatch(one -> one.partition == young.partition));
    }

    /** Threads that hang in the append serve no other partition: what waits for them is given away with it. */
    @Test
    void fetchesThatWillBeSlowSoonGoWithASlowAppend() {
        FakePartition second = broker.leads("events", 1);
        FakePartition young = broker.leads("events", 2);
        broker.pass(10_000);
        appendHangs(events);
        broker.pass(200);
        broker.stall(second);
        broker.pass(APPEND_MS - 300);
        assertEquals(List.of(), broker.acted, "half is not enough as long as no append is slow");
        broker.stall(young);
        broker.pass(100 + broker.settings.tickMs());
        assertEquals(2, broker.acted.size());
        assertEquals(Reason.SLOW_APPEND, broker.acted.get(0).reason);
        assertEquals(Reason.SLOW_FETCH, broker.acted.get(1).reason);
        assertEquals(second.partition, broker.acted.get(1).partition);
    }

    @Test
    void whicheverIsFurtherBeyondItsLimitIsTheReason() {
        broker.pass(10_000);
        broker.stall(events);
        broker.pass(WatchedBroker.T_MS - 200);
        appendHangs(events);
        broker.pass(200 + broker.settings.tickMs());
        assertEquals(Reason.SLOW_FETCH, broker.acted.get(0).reason);
    }

    @Test
    void aSlowAppendIsWithheldForTheReasonsOfASlowFetch() {
        broker.live = new int[0];
        broker.pass(10_000);
        appendHangs(events);
        broker.pass(3 * APPEND_MS);
        assertEquals(List.of(Reason.NO_SUCCESSOR), broker.reasons());
        assertEquals(1, broker.stats.withheld(), "once, until the reason changes");
    }

    /** A frozen process finds all its appends old when it runs again. */
    @Test
    void aPauseOfTheProcessDoesNotCount() {
        broker.pass(10_000);
        appendHangs(events);
        broker.clock.ms += 60_000;
        broker.tick();
        events.appendingMs = FakePartition.NOT_OVERDUE;
        broker.pass(2 * APPEND_MS);
        assertEquals(List.of(), broker.acted);
    }
}
