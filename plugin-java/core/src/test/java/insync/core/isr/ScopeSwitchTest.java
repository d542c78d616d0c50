package insync.core.isr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** A config update changes the scope while a fetch is pending: the fetch counts until it ends, in its own scope. */
class ScopeSwitchTest extends BothScopes {
    private static final long STALL_MS = 5 * LAG_MS;

    @Test
    void fromReadToRequest() {
        ReadScopeTracker before = new ReadScopeTracker(follower, reads, null);
        before.fetched(LEO, LEO);
        FetchMarks pending = begin(before);
        RequestScopeTracker after = new RequestScopeTracker(follower, requests, 0, before);
        pass(STALL_MS);
        assertTrue(holds(after));
        assertEquals(1, after.snapshot().size());
        assertTrue(after.overdueSince(clock.nanos()) != FollowerTracker.NOT_PENDING);
        after.fetched(LEO, LEO);
        pending.complete();
        assertTrue(holds(after), "caught up when its fetch completed");
        pass(LAG_MS + 1);
        assertFalse(holds(after));
        assertEquals(0, after.snapshot().size());
    }

    @Test
    void fromRequestToRead() {
        RequestScopeTracker before = new RequestScopeTracker(follower, requests, clock.ms, null);
        Object first = arrive(true);
        read(before);
        connection.sent(first);
        Object pending = arrive(true);
        ReadScopeTracker after = new ReadScopeTracker(follower, reads, before);
        pass(STALL_MS);
        assertTrue(holds(after));
        read(after);
        connection.sent(pending);
        pass(LAG_MS);
        assertTrue(holds(after));
        pass(LeaderClock.PERIOD_MS);
        assertFalse(holds(after));
    }

    @Test
    void aFetchOfASessionThatBeganBeforeTheScope() {
        RequestScopeTracker tracker = new RequestScopeTracker(follower, requests, clock.ms, null);
        assertFalse(connection.sessionKnown);
        Object first = arrive(false);
        tracker.inSession(connection);
        pass(STALL_MS);
        assertTrue(holds(tracker));
        assertEquals(1, tracker.snapshot().size());
        assertTrue(tracker.overdueSince(clock.nanos()) != FollowerTracker.NOT_PENDING);
        connection.sent(first);
        pass(LAG_MS);
        assertTrue(holds(tracker), "charged from the end of the fetch");
        pass(LeaderClock.PERIOD_MS);
        assertFalse(holds(tracker));
    }

    @Test
    void aSessionDoesNotReplaceTheClockOfAReadPartition() {
        RequestScopeTracker tracker = new RequestScopeTracker(follower, requests, clock.ms, null);
        Object first = arrive(true);
        read(tracker);
        connection.sent(first);
        pass(LAG_MS + 1);
        FetcherConnection other =
            requests.connection("other", FakeFollower.ID, FakeFollower.PRINCIPAL, new NetworkThread(leaderClock));
        other.arrived(new Object(), 1, false, 0);
        tracker.inSession(other);
        assertEquals(0, tracker.snapshot().size());
        assertFalse(holds(tracker));
    }

    @Test
    void aScopeThatHasEndedKeepsNobody() {
        ReadScopeTracker before = new ReadScopeTracker(follower, reads, null);
        begin(before);
        RequestScopeTracker after = new RequestScopeTracker(follower, requests, 0, before);
        pass(STALL_MS);
        assertTrue(holds(after));
        reads.end();
        assertFalse(holds(after));
        assertFalse(holds(before));
        assertEquals(0, after.snapshot().size());
    }

    @Test
    void anElectionEndsThePendingFetchesOfBothScopes() {
        ReadScopeTracker before = new ReadScopeTracker(follower, reads, null);
        FetchMarks pending = begin(before);
        RequestScopeTracker after = new RequestScopeTracker(follower, requests, 0, before);
        pass(STALL_MS);
        after.elected(0, LEO, true, false);
        assertFalse(holds(after));
        assertEquals(0, stats.pendingNow());
        pending.complete();
        assertFalse(holds(after));
    }

    @Test
    void afterManyUpdatesOnlyScopesThatHaveNotEndedAreAsked() {
        FollowerTracker newest = null;
        for (int update = 0; update < 3; update++) {
            Scope scope = new Scope(clock, stats, nobody);
            newest = new ReadScopeTracker(follower, scope, newest);
            begin((ReadScopeTracker) newest);
            if (update == 0) {
                scope.end();
            }
        }
        assertEquals(2, newest.snapshot().size());
    }
}
