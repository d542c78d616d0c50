package insync.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What holds a follower in sync, for how long, and what its last caught-up time becomes. */
class FollowerFetchesTest {
    private final FakeFollower follower = new FakeFollower();
    private final FakeClock clock = new FakeClock();
    private final Stats stats = new Stats();
    private final List<Long> releases = new ArrayList<>();
    private final FollowerFetches fetches =
        new FollowerFetches(follower, clock, stats, (replica, offset, nanos) -> releases.add(nanos / 1_000_000));

    private FetchMarks fetch(long offset, long previousLeaderLeo) {
        FetchMarks fetch = new FetchMarks();
        fetch.mark(fetches, offset, previousLeaderLeo);
        return fetch;
    }

    @Test
    void aFetchAtThePreviousLeoHoldsUntilItCompletes() {
        FetchMarks fetch = fetch(1002, 1002);
        assertTrue(fetches.holdsInSync());
        clock.ms += 25_000;
        fetch.complete();
        assertFalse(fetches.holdsInSync());
        assertEquals(List.of(25_000L), releases);
        assertEquals(25_000, stats.longestHoldMs());
    }

    @Test
    void aFetchBelowThePreviousLeoHoldsNothing() {
        assertTrue(fetch(1001, 1002).isEmpty());
        assertFalse(fetches.holdsInSync());
    }

    @Test
    void theSameOffsetPendingTwiceHoldsUntilBothComplete() {
        FetchMarks first = fetch(1002, 1002);
        FetchMarks second = fetch(1002, 1002);
        first.complete();
        assertTrue(fetches.holdsInSync());
        second.complete();
        assertFalse(fetches.holdsInSync());
    }

    @Test
    void completingTwiceReleasesOnce() {
        FetchMarks first = fetch(1002, 1002);
        first.complete();
        FetchMarks second = fetch(1002, 1002);
        first.complete();
        assertTrue(fetches.holdsInSync(), "the recycled mark belongs to the second fetch");
        second.complete();
        assertEquals(2, stats.releasedTotal());
        assertEquals(0, stats.pendingNow());
    }

    @Test
    void anElectionClearsAndTheOldFetchReleasesNothingMore() {
        FetchMarks old = fetch(1002, 1002);
        fetches.served(1002, 1100, 1002);
        fetches.clear();
        long elected = follower.caughtUpMs.get();
        clock.ms += 5_000;
        old.complete();
        assertEquals(elected, follower.caughtUpMs.get());
        assertEquals(1, stats.clearedTotal());
        assertEquals(0, stats.releasedTotal());
        assertEquals(0, stats.pendingNow());
    }

    @Test
    void aMarkOfAnOlderEpochHoldsNothingEvenWhileItStands() {
        FetchMarks old = fetch(1002, 1002);
        fetches.served(1002, 1100, 1002);
        follower.leaderEpoch++;
        assertFalse(fetches.holdsInSync());
        long before = follower.caughtUpMs.get();
        clock.ms += 5_000;
        old.complete();
        assertEquals(before, follower.caughtUpMs.get());
    }

    @Test
    void servedFetchIsCaughtUpWhenReadAndAgainWhenComplete() {
        FetchMarks fetch = fetch(1002, 1002);
        clock.ms += 1_000;
        fetches.served(1002, 1100, 1002);
        assertEquals(clock.ms, follower.caughtUpMs.get());
        clock.ms += 24_000;
        fetch.complete();
        assertEquals(clock.ms, follower.caughtUpMs.get());
    }

    @Test
    void aFetchThatWasNeverReadLeavesTheCaughtUpTime() {
        fetch(1002, 1002).complete();
        assertEquals(0, follower.caughtUpMs.get());
    }

    @Test
    void theFirstFetchInAnEpochHoldsButDoesNotCountAsCaughtUp() {
        FetchMarks first = fetch(0, FetchRule.UNKNOWN_OFFSET);
        assertTrue(fetches.holdsInSync());
        fetches.served(0, 1100, FetchRule.UNKNOWN_OFFSET);
        first.complete();
        assertEquals(0, follower.caughtUpMs.get());
    }

    @Test
    void aHoldIsCountedOncePerStretch() {
        FetchMarks fetch = fetch(1002, 1002);
        fetches.holdsInSync();
        fetches.holdsInSync();
        assertEquals(1, stats.holdsGranted());
        assertEquals(1, stats.heldNow());
        fetch.complete();
        assertEquals(0, stats.heldNow());
    }
}
