package insync.core.isr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import insync.core.events.EventLog;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Listeners learn each hold once, with the place where the leader was with the fetch, and its end once. */
class HoldTest extends BothScopes {
    private final List<String> said = new ArrayList<>();

    @BeforeEach
    void listen() {
        stats.listeners(new Hold.Listener() {
            @Override
            public void held(Hold hold) {
                said.add("held " + EventLog.word(hold.site) + " " + hold.pendingMs());
            }

            @Override
            public void released(Hold hold) {
                said.add("released " + EventLog.word(hold.site));
            }
        });
    }

    @Test
    void inScopeReadTheSiteIsTheRead() {
        ReadScopeTracker tracker = new ReadScopeTracker(follower, reads, null);
        tracker.fetched(LEO, LEO);
        FetchMarks fetch = begin(tracker);
        pass(LAG_MS + 1);
        assertTrue(holds(tracker) && holds(tracker), "asked twice");
        assertEquals(List.of("held read 2001"), said);
        tracker.fetched(LEO, LEO);
        fetch.complete();
        assertEquals(List.of("held read 2001", "released read"), said);
        pass(LAG_MS - 1);
        assertTrue(holds(tracker), "caught up as of the end of its fetch");
        assertEquals("held none 0", said.get(2));
        pass(2);
        assertFalse(holds(tracker));
        assertEquals(List.of("held read 2001", "released read", "held none 0", "released none"), said);
        assertEquals(1, stats.holdsGranted(Hold.Site.READ));
        assertEquals(1, stats.holdsGranted(Hold.Site.NONE));
        assertEquals(2, stats.holdsGranted());
    }

    @Test
    void inScopeRequestTheSiteIsWhereTheLeaderIsWithTheFetch() {
        RequestScopeTracker tracker = new RequestScopeTracker(follower, requests, clock.ms, null);
        Object first = arrive(true);
        read(tracker);
        connection.sent(first);
        Object second = arrive(false);
        pass(LAG_MS + 1);
        assertTrue(holds(tracker));
        assertEquals(List.of("held queue 2001"), said);
        read(tracker);
        connection.sent(second);

        said.clear();
        final Object third = arrive(false);
        connection.serve();
        pass(LAG_MS + 1);
        assertTrue(holds(tracker));
        FetcherConnection.served();
        assertEquals(List.of("held read 2001"), said);
        read(tracker);
        connection.sent(third);

        said.clear();
        Object fourth = arrive(false);
        read(tracker);
        thread.enterCall(this);
        pass(LAG_MS + 1);
        assertTrue(holds(tracker));
        assertEquals(List.of("held send 2001"), said);
        thread.leaveCall();
        connection.sent(fourth);
    }

    /** Kafka's check comes late if it waits for the lock of a partition whose read hangs. */
    @Test
    void aHoldThatWasForgottenBeginsAgain() {
        long lagMs = 200;
        ReadScopeTracker tracker = new ReadScopeTracker(follower, reads, null);
        tracker.fetched(LEO, LEO);
        FetchMarks fetch = begin(tracker);
        pass(lagMs + 1);
        assertTrue(tracker.holdsInSync(clock.ms, lagMs));
        for (long end = System.nanoTime() + 5_000_000_000L; stats.heldNow() > 0 && System.nanoTime() < end; ) {
            Thread.onSpinWait();
        }
        assertEquals(0, stats.heldNow());
        assertTrue(tracker.holdsInSync(clock.ms, lagMs));
        assertEquals(1, stats.heldNow());
        assertEquals(List.of("held read 201", "released read", "held read 201"), said);
        fetch.complete();
    }

    @Test
    void anEndAfterTheTimeThatIsForgivenIsNoProgress() {
        ReadScopeTracker tracker = new ReadScopeTracker(follower, reads, null);
        tracker.fetched(LEO, LEO);
        FetchMarks fetch = begin(tracker);
        pass(FetchRule.forgivenMs(LAG_MS) + 1);
        assertFalse(holds(tracker));
        tracker.fetched(LEO, LEO);
        fetch.complete();
        assertFalse(holds(tracker));
    }

    @Test
    void anElectionAndAResignationEndAHold() {
        RequestScopeTracker tracker = new RequestScopeTracker(follower, requests, clock.ms, null);
        arrive(true);
        read(tracker);
        pass(LAG_MS + 1);
        assertTrue(holds(tracker));
        assertEquals(1, stats.heldNow());
        tracker.elected(clock.ms, LEO, true, true);
        assertEquals("released read", said.get(1));
        assertTrue(holds(tracker));
        tracker.resigned();
        assertEquals(4, said.size());
        assertEquals(0, stats.heldNow());
    }

    @Test
    void afterAChangeOfTheScopeTheSiteIsThatOfThePendingFetch() {
        ReadScopeTracker before = new ReadScopeTracker(follower, reads, null);
        before.fetched(LEO, LEO);
        FetchMarks pending = begin(before);
        RequestScopeTracker after = new RequestScopeTracker(follower, requests, 0, before);
        pass(LAG_MS + 1);
        assertTrue(holds(after));
        assertEquals(List.of("held read 2001"), said);
        pending.complete();
    }
}
