package insync.core.isr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import insync.core.ManualClock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Scope "read": which fetches hold a follower in sync, for how long, and since when it counts as caught up. */
class ReadScopeTrackerTest {
    private static final long LAG_MS = 10_000;
    private static final long WAIT_MS = 500;

    private final FakeFollower follower = new FakeFollower();
    private final ManualClock clock = new ManualClock();
    private final Stats stats = new Stats();
    private final List<Long> releases = new ArrayList<>();
    private final List<Long> outlived = new ArrayList<>();
    private final PendingListener listener = new PendingListener() {
        @Override
        public void released(int replicaId, String topic, int partition, long pendingNanos) {
            releases.add(pendingNanos / 1_000_000);
        }

        @Override
        public void outlived(int replicaId, String topic, int partition, long pendingNanos) {
            outlived.add(pendingNanos / 1_000_000);
        }
    };
    private final Scope scope = new Scope(clock, stats, listener);
    private ReadScopeTracker fetches = new ReadScopeTracker(follower, scope, null);

    /** The leader's LEO was 1002 when it read the previous fetch of this follower, at offset 950. */
    ReadScopeTrackerTest() {
        fetches.fetched(950, 1002);
    }

    private FetchMarks fetch(long offset) {
        FetchMarks fetch = new FetchMarks(scope, WAIT_MS);
        fetch.mark(fetches, offset);
        fetch.marked();
        return fetch;
    }

    private boolean holds() {
        return fetches.holdsInSync(clock.ms, LAG_MS);
    }

    @Test
    void aFetchAtThePreviousLeoHoldsUntilItCompletes() {
        FetchMarks fetch = fetch(1002);
        assertTrue(holds());
        clock.ms += 25_000;
        assertTrue(holds());
        fetch.complete();
        assertFalse(holds());
        assertEquals(List.of(25_000L), releases);
        assertEquals(25_000, stats.longestHoldMs());
    }

    @Test
    void aFetchThatNeverCompletesHoldsForTenTimesTheLag() {
        fetch(1002);
        clock.ms += 10 * LAG_MS;
        assertTrue(holds());
        assertEquals(0, stats.outlived.sum());
        clock.ms++;
        assertFalse(holds());
        assertFalse(holds());
        assertEquals(List.of(10 * LAG_MS + 1), outlived, "noted once");
        assertEquals(1, stats.outlived.sum());
        assertEquals(1, stats.pendingNow(), "it is still pending");
    }

    @Test
    void aNewerFetchHoldsBesideOneThatOutlivedTheLimit() {
        fetch(1002);
        clock.ms += 10 * LAG_MS + 1;
        assertFalse(holds());
        FetchMarks second = fetch(1002);
        assertTrue(holds());
        second.complete();
        assertFalse(holds());
    }

    @Test
    void aLostConnectionReleasesItsFetchAndIsNoProgress() {
        FetchMarks fetch = fetch(1002);
        fetches.fetched(1002, 1002);
        assertTrue(holds());
        fetch.abandon();
        assertFalse(holds(), "nobody got the response");
        fetch.complete();
        assertEquals(List.of(), releases);
        assertEquals(1, stats.cleared.sum());
        assertEquals(0, stats.pendingNow());
    }

    @Test
    void aFetchBelowThePreviousLeoHoldsNothing() {
        assertTrue(fetch(1001).isEmpty());
        assertFalse(holds());
    }

    @Test
    void theSameOffsetPendingTwiceHoldsUntilBothComplete() {
        FetchMarks first = fetch(1002);
        FetchMarks second = fetch(1002);
        first.complete();
        assertTrue(holds());
        second.complete();
        assertFalse(holds());
    }

    private List<ReadScopeTracker> threePartitions() {
        return List.of(new ReadScopeTracker(follower, scope, null), new ReadScopeTracker(follower, scope, null),
            new ReadScopeTracker(follower, scope, null));
    }

    private FetchMarks fetchOf(List<ReadScopeTracker> partitions) {
        FetchMarks fetch = new FetchMarks(scope, WAIT_MS);
        partitions.forEach(partition -> fetch.mark(partition, 1002));
        fetch.marked();
        partitions.forEach(partition -> assertTrue(partition.holdsInSync(clock.ms, LAG_MS)));
        return fetch;
    }

    @Test
    void aFetchHoldsAllItsPartitionsAndReleasesEachWhenItCompletes() {
        List<ReadScopeTracker> partitions = threePartitions();
        fetchOf(partitions).complete();
        partitions.forEach(partition -> assertFalse(partition.holdsInSync(clock.ms, LAG_MS)));
        assertEquals(3, stats.released.sum());
        assertEquals(0, stats.pendingNow());
    }

    @Test
    void aLostConnectionReleasesAllPartitionsOfItsFetch() {
        List<ReadScopeTracker> partitions = threePartitions();
        fetchOf(partitions).abandon();
        partitions.forEach(partition -> assertFalse(partition.holdsInSync(clock.ms, LAG_MS)));
        assertEquals(3, stats.cleared.sum());
        assertEquals(0, stats.pendingNow());
    }

    @Test
    void completingTwiceReleasesOnce() {
        FetchMarks first = fetch(1002);
        first.complete();
        FetchMarks second = fetch(1002);
        first.complete();
        assertTrue(holds(), "the recycled mark belongs to the second fetch");
        second.complete();
        assertEquals(2, stats.released.sum());
        assertEquals(0, stats.pendingNow());
    }

    @Test
    void anElectionClearsAndTheOldFetchReleasesNothingMore() {
        FetchMarks old = fetch(1002);
        fetches.fetched(1002, 1100);
        fetches.elected(clock.ms, 1100, false, true);
        clock.ms += LAG_MS + 1;
        old.complete();
        assertFalse(holds());
        assertEquals(1, stats.cleared.sum());
        assertEquals(0, stats.released.sum());
        assertEquals(0, stats.pendingNow());
    }

    @Test
    void atAnElectionOnlyMembersOfTheIsrAreCaughtUp() {
        fetches.elected(clock.ms, 1100, true, true);
        clock.ms += LAG_MS;
        assertTrue(holds());
        fetches.elected(clock.ms, 1100, true, false);
        assertFalse(holds());
    }

    @Test
    void aMarkOfAnOlderEpochHoldsNothingEvenBeforeItIsCleared() {
        FetchMarks old = fetch(1002);
        follower.leaderEpoch++;
        assertFalse(holds());
        fetches.fetched(1002, 1100);
        clock.ms += LAG_MS + 1;
        old.complete();
        assertFalse(holds(), "its completion does not count as caught up, either");
    }

    @Test
    void aFetchThatIsReadIsCaughtUpWhenItCompletes() {
        FetchMarks fetch = fetch(1002);
        clock.ms += 1_000;
        fetches.fetched(1002, 1100);
        clock.ms += 24_000;
        fetch.complete();
        clock.ms += LAG_MS;
        assertTrue(holds());
        clock.ms += 1;
        assertFalse(holds());
    }

    @Test
    void aFetchThatWasNeverReadDoesNotChangeTheCaughtUpTime() {
        fetch(1002).complete();
        assertFalse(holds());
    }

    @Test
    void theFirstFetchInAnEpochHoldsButDoesNotCountAsCaughtUp() {
        fetches.elected(clock.ms, 1100, true, false);
        FetchMarks first = fetch(0);
        assertTrue(holds());
        fetches.fetched(0, 1100);
        first.complete();
        assertFalse(holds());
    }

    @Test
    void aFirstFetchIsStillTheFirstAfterAReElection() {
        fetches.elected(clock.ms, 1100, true, true);
        fetches.elected(clock.ms, 1200, false, true);
        assertFalse(fetch(0).isEmpty());
    }

    @Test
    void aHoldIsCountedOnceFromBeginToEnd() {
        FetchMarks fetch = fetch(1002);
        holds();
        holds();
        assertEquals(1, stats.holdsGranted());
        assertEquals(1, stats.heldNow());
        fetch.complete();
        assertEquals(0, stats.heldNow());
    }

    @Test
    void aFetchIsOverdueSinceTheOldestMarkOfTheEpochAndItsWait() {
        assertEquals(FollowerTracker.NOT_PENDING, fetches.overdueSince(clock.nanos()));
        long due = clock.nanos() + WAIT_MS * 1_000_000;
        FetchMarks first = fetch(1002);
        assertEquals(FollowerTracker.NOT_PENDING, fetches.overdueSince(due - 1), "it may wait for records");
        clock.ms += 1_000;
        fetch(1002);
        assertEquals(due, fetches.overdueSince(due));
        assertEquals(due, fetches.overdueSince(due + WAIT_MS * 1_000_000 * 2), "the first is so for the longest");
        first.complete();
        assertEquals(FollowerTracker.NOT_PENDING, fetches.overdueSince(due), "younger ones are not looked for");
        assertEquals(due + 1_000_000_000L, fetches.overdueSince(due + 1_000_000_000L));
        follower.leaderEpoch++;
        assertEquals(FollowerTracker.NOT_PENDING, fetches.overdueSince(due + 1_000_000_000L));
    }
}
