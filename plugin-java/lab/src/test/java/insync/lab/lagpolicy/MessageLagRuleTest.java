package insync.lab.lagpolicy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Kafka 0.8's rule by example: threshold 4 and a lag of 500 ms, as in the design document that removed it. */
class MessageLagRuleTest {
    private static final long LAG_MS = 500;
    private static final long NOW = 1_000_000;
    private final MessageLagRule rule = new MessageLagRule(4);

    /** In the design document a batch of 4 is too many; the code of 0.8 compares with "more than". */
    @Test
    void fourBehindIsInSyncAndFiveIsNot() {
        assertFalse(behind(4, 0));
        assertTrue(behind(5, 0));
    }

    /** The false alarm: a follower that fetched this same millisecond is removed because its leader got a large batch. */
    @Test
    void aBurstRemovesAFollowerThatHasJustFetched() {
        assertTrue(behind(100, 0));
    }

    /**
     * The missed alarm: with a large threshold a slow follower of a quiet topic is never removed.
     */
    @Test
    void belowTheThresholdAFollowerThatFetchesStaysInSync() {
        MessageLagRule large = new MessageLagRule(4_000);
        assertFalse(large.isOutOfSync(0, NOW - LAG_MS, 4_000, NOW, LAG_MS));
    }

    @Test
    void aFollowerThatIsBehindAndDoesNotFetchIsStuck() {
        assertFalse(behind(1, LAG_MS));
        assertTrue(behind(1, LAG_MS + 1));
    }

    @Test
    void aFollowerThatIsNotBehindNeedNotFetch() {
        assertFalse(behind(0, 10 * LAG_MS));
    }

    /** After an election no follower has fetched: none is slow yet, and each has replica.lag.time.max.ms to fetch. */
    @Test
    void beforeItsFirstFetchAFollowerCanOnlyBeStuck() {
        assertFalse(rule.isOutOfSync(-1, NOW, 1_000, NOW, LAG_MS));
        assertTrue(rule.isOutOfSync(-1, NOW - LAG_MS - 1, 1_000, NOW, LAG_MS));
    }

    @Test
    void itsTextIsThatOfTheConfig() {
        assertEquals("messages:4", rule.toString());
        assertThrows(IllegalArgumentException.class, () -> new MessageLagRule(0));
    }

    private boolean behind(long messages, long silentMs) {
        return rule.isOutOfSync(1_000 - messages, NOW - silentMs, 1_000, NOW, LAG_MS);
    }
}
