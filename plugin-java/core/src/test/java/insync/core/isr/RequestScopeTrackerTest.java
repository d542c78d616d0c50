package insync.core.isr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import insync.core.ManualClock;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Scope "request": for which time a follower is charged. */
class RequestScopeTrackerTest {
    private static final long LAG_MS = 2_000;
    private static final long WAIT_MS = 500;
    private static final long WAIT_NANOS = WAIT_MS * 1_000_000;
    private static final String ID = "127.0.0.1:1-127.0.0.1:2-0-1";

    private final FakeFollower follower = new FakeFollower();
    private final ManualClock clock = new ManualClock();
    private final Stats stats = new Stats();
    private final LeaderClock leaderClock = new LeaderClock(clock);
    private final Map<Object, Long> named = new HashMap<>();
    private final RequestScope scope = new RequestScope(clock, leaderClock, stats, (replica, topic, partition, nanos) -> { },
        (request, replica) -> named.getOrDefault(request, FetchBody.NOT_NAMED));
    private final NetworkThread thread = new NetworkThread(leaderClock);
    private final FetcherConnection connection = scope.connection(ID, FakeFollower.ID, FakeFollower.PRINCIPAL, thread);
    private final RequestScopeTracker fetches = new RequestScopeTracker(follower, scope, clock.ms, null);
    private long leo = 100;

    /** Lets some time pass, with all ticks. */
    private void pass(long ms) {
        long end = clock.ms + ms;
        while (clock.ms < end) {
            clock.ms = Math.min(end, clock.ms + LeaderClock.PERIOD_MS);
            leaderClock.tick();
        }
    }

    private Object arrive(boolean newMembers) {
        Object request = new Object();
        connection.arrived(request, 1, newMembers, WAIT_MS);
        return request;
    }

    /** Runs a fetch that makes the follower caught up as of now. */
    private void caughtUpFetch() {
        Object request = arrive(true);
        read(leo);
        connection.sent(request);
    }

    private void read(long offset) {
        connection.serve();
        fetches.fetched(offset, leo);
        FetcherConnection.served();
    }

    private boolean holds() {
        return fetches.holdsInSync(clock.ms, LAG_MS);
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
        assertEquals(6_000 - LeaderClock.GRACE_NANOS / 1_000_000, stats(leaderClock));
        assertRunsOutAfter(1_000 - LeaderClock.GRACE_NANOS / 1_000_000);
    }

    /** Asserts that what begins now is forgiven for ten lags, and that the follower leaves one lag later. */
    private void assertForgivenUpToABound() {
        long bound = FetchRule.FORGIVEN_LAGS * LAG_MS;
        pass(bound);
        assertTrue(holds());
        assertEquals(0, stats.outlivedTotal());
        pass(LAG_MS + 1);
        assertFalse(holds());
        assertFalse(holds());
        assertEquals(1, stats.outlivedTotal());
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
        scope.disconnected(ID);
        FetcherConnection second = scope.connection("other", FakeFollower.ID, FakeFollower.PRINCIPAL, thread);
        Object request = new Object();
        named.put(request, leo);
        second.arrived(request, 1, true, WAIT_MS);
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
        scope.disconnected(ID);
        scope.disconnected(ID);
        assertRunsOutAfter(LAG_MS);
        connection.sent(request);
        assertEquals(1, stats.clearedTotal());
        assertEquals(1, stats.releasedTotal());
        assertEquals(0, stats.pendingNow());
    }

    @Test
    void theFirstFetchOnANewConnectionIsNotChargedWhileItWaits() {
        caughtUpFetch();
        pass(500);
        scope.disconnected(ID);
        FetcherConnection second = scope.connection("other", FakeFollower.ID, FakeFollower.PRINCIPAL, new NetworkThread(leaderClock));
        Object request = new Object();
        named.put(request, leo);
        second.arrived(request, 1, true, WAIT_MS);
        pass(8_000);
        assertTrue(holds());
        second.serve();
        fetches.fetched(leo - 5, leo);
        FetcherConnection.served();
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
        FetcherConnection second = scope.connection("other", FakeFollower.ID, FakeFollower.PRINCIPAL, thread);
        Object request = new Object();
        named.put(request, leo - 5);
        second.arrived(request, 1, true, WAIT_MS);
        pass(1_000);
        second.serve();
        fetches.fetched(leo - 5, leo);
        FetcherConnection.served();
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
        FetcherConnection second = scope.connection("other", FakeFollower.ID, FakeFollower.PRINCIPAL, hanging);
        Object request = new Object();
        named.put(request, leo - 5);
        second.arrived(request, 1, true, WAIT_MS);
        hanging.enterCall(null);
        pass(8_000);
        assertTrue(holds());
        second.serve();
        fetches.fetched(leo - 5, leo);
        FetcherConnection.served();
        hanging.leaveCall();
        second.sent(request);
        assertRunsOutAfter(LAG_MS - 500);
    }

    @Test
    void readsForALostConnectionAreNotProgress() {
        caughtUpFetch();
        Object request = arrive(false);
        scope.disconnected(ID);
        pass(1_000);
        read(leo);
        assertRunsOutAfter(LAG_MS - 1_000);
        connection.sent(request);
    }

    @Test
    void aFetchOfAnOlderIncarnationHoldsNothing() {
        caughtUpFetch();
        FetcherConnection old = scope.connection("old", FakeFollower.ID, FakeFollower.PRINCIPAL, thread);
        Object request = new Object();
        named.put(request, leo);
        old.arrived(request, 0, true, WAIT_MS);
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

    private static long stats(LeaderClock clock) {
        return clock.pausedNanos() / 1_000_000;
    }

    @Test
    void aFetchOfTheSessionIsOverdueFromTheEndOfItsWaitToItsOwn() {
        caughtUpFetch();
        assertEquals(FollowerTracker.NOT_PENDING, fetches.overdueSince(clock.nanos()));
        long due = clock.nanos() + WAIT_NANOS;
        Object request = arrive(false);
        pass(WAIT_MS - LeaderClock.PERIOD_MS);
        assertEquals(FollowerTracker.NOT_PENDING, fetches.overdueSince(clock.nanos()), "it may wait for records");
        pass(3_000);
        assertEquals(due, fetches.overdueSince(clock.nanos()), "even before it is read");
        assertEquals(FollowerTracker.NOT_PENDING, fetches.overdueSince(due - 1), "younger fetches are ignored");
        read(leo);
        assertEquals(due, fetches.overdueSince(clock.nanos()));
        connection.sent(request);
        assertEquals(FollowerTracker.NOT_PENDING, fetches.overdueSince(clock.nanos()));
    }

    /** A flood of clients: every request waits for long, and the handlers take one after the other. */
    @Test
    void aFetchInAQueueThatMovesIsNotOverdue() {
        caughtUpFetch();
        arrive(false);
        for (int look = 0; look < 20; look++) {
            scope.queueIs(new Object());
            pass(500);
            long overdue = fetches.overdueSince(clock.nanos());
            assertTrue(overdue == FollowerTracker.NOT_PENDING || clock.nanos() - overdue <= 1_000_000_000L);
        }
        Object stuck = new Object();
        scope.queueIs(stuck);
        long since = clock.nanos();
        pass(500);
        scope.queueIs(stuck);
        pass(3_000);
        assertEquals(since - 500_000_000L + WAIT_NANOS, fetches.overdueSince(clock.nanos()), "from the look before");
    }

    @Test
    void aThreadThatWaitsForAQueueThatMovesDelaysNoFollowerForLong() {
        caughtUpFetch();
        thread.enterCall(null);
        pass(3_000);
        scope.queueIs(new Object());
        pass(500);
        scope.queueIs(null);
        assertTrue(notOverdue());
        thread.leaveCall();
        thread.enterCall(connection);
        long due = clock.nanos() + WAIT_NANOS;
        pass(3_000);
        scope.queueIs(null);
        assertEquals(due, fetches.overdueSince(clock.nanos()), "a transfer waits for no handler");
    }

    private boolean notOverdue() {
        return fetches.overdueSince(clock.nanos()) == FollowerTracker.NOT_PENDING;
    }

    @Test
    void aFetchIsNotOverdueWhileTheSocketIsFullAndItsAgeExcludesThatTime() {
        caughtUpFetch();
        arrive(false);
        pass(1_000);
        connection.socketFull();
        pass(5_000);
        assertEquals(FollowerTracker.NOT_PENDING, fetches.overdueSince(clock.nanos()));
        connection.socketOffered();
        pass(500);
        assertEquals(clock.nanos() - 1_500_000_000L + WAIT_NANOS, fetches.overdueSince(clock.nanos()));
    }

    @Test
    void aFirstFetchIsOverdueForThePartitionsThatItNames() {
        named.put(arrive(true), 50L);
        pass(1_000);
        assertEquals(clock.nanos() - 1_000_000_000L + WAIT_NANOS, fetches.overdueSince(clock.nanos()));
        named.clear();
        assertEquals(FollowerTracker.NOT_PENDING, fetches.overdueSince(clock.nanos()));
    }

    /** The fetch waits in its socket, where the broker cannot see it: as if it had come when the call began. */
    @Test
    void aFetchThatABlockedThreadDoesNotReadIsOverdueFromTheCall() {
        caughtUpFetch();
        pass(100);
        long due = clock.nanos() + WAIT_NANOS;
        thread.enterCall(null);
        pass(3_000);
        assertEquals(due, fetches.overdueSince(clock.nanos()));
        assertEquals(FollowerTracker.NOT_PENDING, fetches.overdueSince(due - 1));
        thread.leaveCall();
        assertEquals(FollowerTracker.NOT_PENDING, fetches.overdueSince(clock.nanos()));
    }

    @Test
    void aBlockedThreadDelaysOnlyPartitionsOfItsLiveConnections() {
        NetworkThread hanging = new NetworkThread(leaderClock);
        scope.connection("other", FakeFollower.ID, FakeFollower.PRINCIPAL, hanging);
        thread.enterCall(null);
        hanging.enterCall(null);
        pass(3_000);
        assertEquals(FollowerTracker.NOT_PENDING, fetches.overdueSince(clock.nanos()), "no fetch of it was read yet");
        thread.leaveCall();
        caughtUpFetch();
        pass(3_000);
        assertEquals(FollowerTracker.NOT_PENDING, fetches.overdueSince(clock.nanos()), "its own thread runs");
        thread.enterCall(null);
        scope.disconnected(ID);
        pass(3_000);
        assertEquals(FollowerTracker.NOT_PENDING, fetches.overdueSince(clock.nanos()), "the connection is lost");
    }
}
