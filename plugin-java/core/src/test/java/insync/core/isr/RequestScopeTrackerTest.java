package insync.core.isr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Scope "request": for which time a follower is charged. */
class RequestScopeTrackerTest extends BothScopes {
    private static final long WAIT_NANOS = WAIT_MS * 1_000_000;

    private final RequestScopeTracker fetches = new RequestScopeTracker(follower, requests, clock.ms, null);
    private long leo = LEO;

    /** Opens another connection of the follower. */
    private FetcherConnection other(NetworkThread on) {
        return requests.connection("other", FakeFollower.ID, FakeFollower.PRINCIPAL, on);
    }

    /** Begins a fetch that starts a session and names the partition. */
    private Object arriveOn(FetcherConnection on, long offset) {
        Object request = new Object();
        named.put(request, offset);
        on.arrived(request, 1, true, WAIT_MS);
        return request;
    }

    private long overdue() {
        return fetches.overdueSince(clock.nanos());
    }

    /** Runs a fetch that makes the follower caught up as of now. */
    private void caughtUpFetch() {
        Object request = arrive(true);
        read(leo);
        connection.sent(request);
    }

    private void read(long offset) {
        read(connection, fetches, offset, leo);
    }

    private boolean holds() {
        return holds(fetches);
    }

    private void assertRunsOutAfter(long ms) {
        pass(ms);
        assertTrue(holds(), "after " + ms + " ms");
        pass(1);
        assertFalse(holds(), "after " + ms + " ms and one");
    }

    @Test
    void timeBetweenFetchesIsCharged() {
        caughtUpFetch();
        assertRunsOutAfter(LAG_MS);
    }

    @Test
    void timeInTheQueueIsNotCharged() {
        caughtUpFetch();
        Object request = arrive(false);
        pass(8_000);
        assertTrue(holds());
        leo += 10;
        read(leo - 5);
        connection.sent(request);
        assertRunsOutAfter(LAG_MS);
    }

    @Test
    void timeInReadPurgatoryAndSendIsNotCharged() {
        caughtUpFetch();
        pass(500);
        Object request = arrive(false);
        read(leo - 5);
        pass(8_000);
        connection.sent(request);
        assertRunsOutAfter(LAG_MS - 500);
    }

    @Test
    void timeInWhichTheSocketIsFullIsCharged() {
        caughtUpFetch();
        Object request = arrive(false);
        pass(8_000);
        connection.socketFull();
        pass(1_500);
        connection.socketOffered();
        pass(8_000);
        connection.socketFull();
        assertRunsOutAfter(LAG_MS - 1_500);
        connection.sent(request);
        assertEquals(16_000, stats.longestHoldMs());
    }

    @Test
    void aFollowerThatWasOutOfSyncWhenItsFetchArrivedStaysOutOfSync() {
        caughtUpFetch();
        pass(LAG_MS + 1);
        arrive(false);
        assertFalse(holds());
    }

    @Test
    void aFetchAtThePreviousLeoIsCaughtUpAsOfThePreviousFetch() {
        caughtUpFetch();
        pass(600);
        leo += 10;
        Object request = arrive(false);
        read(leo - 10);
        connection.sent(request);
        assertRunsOutAfter(LAG_MS - 600);
        leo += 10;
        request = arrive(false);
        read(leo - 10);
        connection.sent(request);
        assertTrue(holds(), "as of the previous fetch, which arrived after 600 ms");
        pass(600);
        assertFalse(holds());
    }

    @Test
    void aFreezeOfTheLeaderIsNotCharged() {
        caughtUpFetch();
        pass(1_000);
        clock.ms += 6_000;
        assertTrue(holds(), "before the first tick after the freeze");
        leaderClock.tick();
        assertEquals(6_000 - LeaderClock.GRACE_NANOS / 1_000_000, leaderClock.pausedNanos() / 1_000_000);
        assertRunsOutAfter(1_000 - LeaderClock.GRACE_NANOS / 1_000_000);
    }

    /** Asserts that what begins now is forgiven for ten lags, and that the follower leaves one lag later. */
    private void assertForgivenUpToABound() {
        long bound = FetchRule.FORGIVEN_LAGS * LAG_MS;
        pass(bound);
        assertTrue(holds());
        assertEquals(0, stats.outlived.sum());
        pass(LAG_MS + 1);
        assertFalse(holds());
        assertFalse(holds());
        assertEquals(1, stats.outlived.sum());
    }

    @Test
    void pausesAreForgivenUpToABound() {
        caughtUpFetch();
        clock.ms += FetchRule.FORGIVEN_LAGS * LAG_MS + LeaderClock.GRACE_NANOS / 1_000_000;
        leaderClock.tick();
        assertTrue(holds());
        clock.ms += LAG_MS;
        assertFalse(holds());
    }

    /** Such as a transfer to a consumer: the thread sees neither the follower's next fetch nor that it is dead. */
    @Test
    void aHungNetworkThreadIsForgivenUpToABound() {
        caughtUpFetch();
        thread.enterCall(null);
        assertForgivenUpToABound();
    }

    @Test
    void aPendingFetchIsForgivenUpToABound() {
        caughtUpFetch();
        arrive(false);
        assertForgivenUpToABound();
    }

    @Test
    void aFetchThatNamesThePartitionIsForgivenUpToABound() {
        caughtUpFetch();
        requests.disconnected("id");
        arriveOn(other(thread), leo);
        assertForgivenUpToABound();
    }

    /** The thread is blocked again and again, each time for longer than a follower's fetch would take. */
    @Test
    void anOverloadedNetworkThreadIsForgivenUpToABound() {
        caughtUpFetch();
        long passed = 0;
        while (holds()) {
            thread.enterCall(null);
            pass(2_000);
            thread.leaveCall();
            passed += 2_000;
        }
        assertEquals((FetchRule.FORGIVEN_LAGS + 1) * LAG_MS, passed, 2_000);
    }

    @Test
    void aFreezeOfTheLeaderBeforeTheFirstFetchIsNotCharged() {
        clock.ms += 6_000;
        leaderClock.tick();
        assertRunsOutAfter(LAG_MS - LeaderClock.GRACE_NANOS / 1_000_000);
    }

    @Test
    void anotherConnectionsTransferOnTheSameThreadIsNotCharged() {
        caughtUpFetch();
        thread.enterCall(null);
        pass(18_000);
        assertTrue(holds());
        thread.leaveCall();
        assertRunsOutAfter(LAG_MS - NetworkThread.GRACE_NANOS / 1_000_000);
    }

    @Test
    void aPartitionForgottenByTheSessionIsChargedFromThenOn() {
        caughtUpFetch();
        Object forgetting = arrive(true);
        pass(5_000);
        connection.sent(forgetting);
        Object later = arrive(false);
        assertRunsOutAfter(LAG_MS);
        connection.sent(later);
    }

    @Test
    void aLostConnectionReleasesItsPendingFetchOnce() {
        caughtUpFetch();
        Object request = arrive(false);
        pass(5_000);
        requests.disconnected("id");
        requests.disconnected("id");
        assertRunsOutAfter(LAG_MS);
        connection.sent(request);
        assertEquals(1, stats.cleared.sum());
        assertEquals(1, stats.released.sum());
        assertEquals(0, stats.pendingNow());
    }

    @Test
    void theFirstFetchOnANewConnectionIsNotChargedWhileItWaits() {
        caughtUpFetch();
        pass(500);
        requests.disconnected("id");
        FetcherConnection second = other(new NetworkThread(leaderClock));
        Object request = arriveOn(second, leo);
        pass(8_000);
        assertTrue(holds());
        read(second, fetches, leo - 5, leo);
        pass(8_000);
        second.sent(request);
        assertRunsOutAfter(LAG_MS - 500);
    }

    /** The first connection's fetch already stops the clock; the second one must not subtract the same time again. */
    @Test
    void timeOfTwoPendingFetchesIsSubtractedOnce() {
        caughtUpFetch();
        pass(500);
        Object first = arrive(false);
        pass(1_000);
        FetcherConnection second = other(thread);
        Object request = arriveOn(second, leo - 5);
        pass(1_000);
        read(second, fetches, leo - 5, leo);
        second.sent(request);
        assertRunsOutAfter(LAG_MS - 500);
        connection.sent(first);
    }

    /** The time of each connection is that of its own network thread. */
    @Test
    void aFetchThatWaitsForABlockedThreadIsNotCharged() {
        caughtUpFetch();
        pass(500);
        NetworkThread hanging = new NetworkThread(leaderClock);
        FetcherConnection second = other(hanging);
        Object request = arriveOn(second, leo - 5);
        hanging.enterCall(null);
        pass(8_000);
        assertTrue(holds());
        read(second, fetches, leo - 5, leo);
        hanging.leaveCall();
        second.sent(request);
        assertRunsOutAfter(LAG_MS - 500);
    }

    @Test
    void readsForALostConnectionAreNotProgress() {
        caughtUpFetch();
        Object request = arrive(false);
        requests.disconnected("id");
        pass(1_000);
        read(leo);
        assertRunsOutAfter(LAG_MS - 1_000);
        connection.sent(request);
    }

    @Test
    void aFetchOfAnOlderIncarnationHoldsNothing() {
        caughtUpFetch();
        Object request = new Object();
        named.put(request, leo);
        other(thread).arrived(request, 0, true, WAIT_MS);
        assertRunsOutAfter(LAG_MS);
    }

    @Test
    void anElectionResetsTheTrackerAndAPendingFetchThatNamesThePartitionCounts() {
        caughtUpFetch();
        Object old = arrive(false);
        pass(1_000);
        fetches.elected(clock.ms, leo, true, true);
        assertRunsOutAfter(LAG_MS);
        connection.sent(old);
        fetches.elected(clock.ms, leo, true, true);
        pass(200);
        Object request = arrive(false);
        named.put(request, 0L);
        pass(8_000);
        assertTrue(holds());
        read(0);
        pass(8_000);
        connection.sent(request);
        assertRunsOutAfter(LAG_MS - 200);
    }

    @Test
    void anElectionDoesNotMakeAReplicaOutsideTheIsrCaughtUp() {
        fetches.elected(clock.ms, leo, true, false);
        Object request = arrive(true);
        read(leo - 5);
        assertFalse(holds());
        connection.sent(request);
        assertFalse(holds());
    }

    @Test
    void theSnapshotHasThePendingFetchWithItsAge() {
        caughtUpFetch();
        arrive(false);
        pass(700);
        assertEquals(Map.of("offset", leo, "leader_epoch", 1, "age_ms", 700L), fetches.snapshot().get(0));
    }

    @Test
    void aFetchOfTheSessionIsOverdueFromTheEndOfItsWaitToItsOwn() {
        caughtUpFetch();
        assertEquals(FollowerTracker.NOT_PENDING, overdue());
        long due = clock.nanos() + WAIT_NANOS;
        Object request = arrive(false);
        pass(WAIT_MS - LeaderClock.PERIOD_MS);
        assertEquals(FollowerTracker.NOT_PENDING, overdue(), "it may wait for records");
        pass(3_000);
        assertEquals(due, overdue(), "even before it is read");
        assertEquals(FollowerTracker.NOT_PENDING, fetches.overdueSince(due - 1), "younger fetches are ignored");
        read(leo);
        assertEquals(due, overdue());
        connection.sent(request);
        assertEquals(FollowerTracker.NOT_PENDING, overdue());
    }

    /** A flood of clients: every request waits for long, and the handlers take one after the other. */
    @Test
    void aFetchInAQueueThatMovesIsNotOverdue() {
        caughtUpFetch();
        arrive(false);
        for (int look = 0; look < 20; look++) {
            requests.queueIs(new Object());
            pass(500);
            long overdue = overdue();
            assertTrue(overdue == FollowerTracker.NOT_PENDING || clock.nanos() - overdue <= 1_000_000_000L);
        }
        Object stuck = new Object();
        requests.queueIs(stuck);
        long since = clock.nanos();
        pass(500);
        requests.queueIs(stuck);
        pass(3_000);
        assertEquals(since - 500_000_000L + WAIT_NANOS, overdue(), "from the look before");
    }

    @Test
    void aThreadThatWaitsForAQueueThatMovesDelaysNoFollowerForLong() {
        caughtUpFetch();
        thread.enterCall(null);
        pass(3_000);
        requests.queueIs(new Object());
        pass(500);
        requests.queueIs(null);
        assertEquals(FollowerTracker.NOT_PENDING, overdue());
        thread.leaveCall();
        thread.enterCall(connection);
        long due = clock.nanos() + WAIT_NANOS;
        pass(3_000);
        requests.queueIs(null);
        assertEquals(due, overdue(), "a transfer waits for no handler");
    }

    @Test
    void aFetchIsNotOverdueWhileTheSocketIsFullAndItsAgeExcludesThatTime() {
        caughtUpFetch();
        arrive(false);
        pass(1_000);
        connection.socketFull();
        pass(5_000);
        assertEquals(FollowerTracker.NOT_PENDING, overdue());
        connection.socketOffered();
        pass(500);
        assertEquals(clock.nanos() - 1_500_000_000L + WAIT_NANOS, overdue());
    }

    @Test
    void aFirstFetchIsOverdueForThePartitionsThatItNames() {
        named.put(arrive(true), 50L);
        pass(1_000);
        assertEquals(clock.nanos() - 1_000_000_000L + WAIT_NANOS, overdue());
        named.clear();
        assertEquals(FollowerTracker.NOT_PENDING, overdue());
    }

    /** The fetch waits in its socket, where the broker cannot see it: as if it had come when the call began. */
    @Test
    void aFetchThatABlockedThreadDoesNotReadIsOverdueFromTheCall() {
        caughtUpFetch();
        pass(100);
        long due = clock.nanos() + WAIT_NANOS;
        thread.enterCall(null);
        pass(3_000);
        assertEquals(due, overdue());
        assertEquals(FollowerTracker.NOT_PENDING, fetches.overdueSince(due - 1));
        thread.leaveCall();
        assertEquals(FollowerTracker.NOT_PENDING, overdue());
    }

    @Test
    void aBlockedThreadDelaysOnlyPartitionsOfItsLiveConnections() {
        NetworkThread hanging = new NetworkThread(leaderClock);
        other(hanging);
        thread.enterCall(null);
        hanging.enterCall(null);
        pass(3_000);
        assertEquals(FollowerTracker.NOT_PENDING, overdue(), "no fetch of it was read yet");
        thread.leaveCall();
        caughtUpFetch();
        pass(3_000);
        assertEquals(FollowerTracker.NOT_PENDING, overdue(), "its own thread runs");
        thread.enterCall(null);
        requests.disconnected("id");
        pass(3_000);
        assertEquals(FollowerTracker.NOT_PENDING, overdue(), "the connection is lost");
    }
}
