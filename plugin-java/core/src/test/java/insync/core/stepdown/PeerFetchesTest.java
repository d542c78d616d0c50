package insync.core.stepdown;

import static org.junit.jupiter.api.Assertions.assertEquals;

import insync.core.ManualClock;
import insync.core.isr.FollowerTracker;
import insync.core.stepdown.PeerFetches.OutgoingFetch;
import org.junit.jupiter.api.Test;

/** The measurement of a peer from which several fetchers of this broker fetch. */
class PeerFetchesTest {
    private final ManualClock clock = new ManualClock();
    private final PeerFetches fetches = new PeerFetches(clock);
    private final OutgoingFetch first = fetches.fetcher(1);
    private final OutgoingFetch second = fetches.fetcher(1);

    @Test
    void theOldestUnansweredFetchCountsWhicheverFetcherSentIt() {
        assertEquals(FollowerTracker.NOT_PENDING, fetches.oldest(1));
        second.sent();
        long sent = clock.nanos();
        clock.ms += 1_000;
        first.sent();
        assertEquals(sent, fetches.oldest(1));
        second.ended();
        assertEquals(clock.nanos(), fetches.oldest(1));
        assertEquals(FollowerTracker.NOT_PENDING, fetches.oldest(2));
    }

    @Test
    void aFetcherThatIsClosedDuringAFetchNoLongerCounts() {
        first.sent();
        first.closed();
        first.sent();
        assertEquals(FollowerTracker.NOT_PENDING, fetches.oldest(1));
    }
}
