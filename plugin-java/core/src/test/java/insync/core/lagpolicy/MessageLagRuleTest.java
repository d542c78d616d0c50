package insync.core.lagpolicy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Kafka 0.8's rule by example: threshold 4 and a lag of 500 ms, as in the document that did away with it. */
class MessageLagRuleTest {
    private static final long LAG_MS = 500;
    private static final long NOW = 1_000_000;
    private final MessageLagRule rule = new MessageLagRule(4);

    /** The document says that a batch of 4 is one too many; the code of 0.8 compares with "more than". */
    @Test
    void fourBehindIsInSyncAndFiveIsNot() {
        assertFalse(behind(4, 0));
        assertTrue(behind(5, 0));
    }

    /** What is wrong with it: a follower that fetched this very millisecond leaves, for its leader took a large batch. */
    @Test
    void aBurstDropsAFollowerThatHasJustFetched() {
        assertTrue(behind(100, 0));
    }

    /**
     * What is wrong with it the other way round: with a large threshold a slow follower of a quiet topic never leaves.
     */
    @Test
    void belowTheThresholdAFollowerThatFetchesNeverLeaves() {
        MessageLagRule large = new MessageLagRule(4_000);
        assertFalse(large.isOutOfSync(0, NOW - LAG_MS, 4_000, NOW, LAG_MS));
    }

    @Test
    void aFollowerThatIsBehindAndSilentIsStuck() {
        assertFalse(behind(1, LAG_MS));
        assertTrue(behind(1, LAG_MS + 1));
    }

    @Test
    void aFollowerThatLacksNothingMayBeSilent() {
        assertFalse(behind(0, 10 * LAG_MS));
    }

    /** After an election nobody has fetched: no follower is slow yet, and each has its time to be heard. */
    @Test
    void beforeItsFirstFetchAFollowerCanOnlyBeStuck() {
        assertFalse(rule.isOutOfSync(-1, NOW, 1_000, NOW, LAG_MS));
        assertTrue(rule.isOutOfSync(-1, NOW - LAG_MS - 1, 1_000, NOW, LAG_MS));
    }

    @Test
    void itIsCalledAsItIsConfigured() {
        assertEquals("messages:4", rule.toString());
        assertThrows(IllegalArgumentException.class, () -> new MessageLagRule(0));
    }

    private boolean behind(long messages, long silentMs) {
        return rule.isOutOfSync(1_000 - messages, NOW - silentMs, 1_000, NOW, LAG_MS);
    }
}
