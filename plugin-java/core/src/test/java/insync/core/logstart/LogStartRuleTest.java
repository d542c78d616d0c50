package insync.core.logstart;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** The bounds against KAFKA-7104 by the JIRA's own figures, and at random. */
class LogStartRuleTest {
    private static final long SEED = 7104;

    /** The follower had appended up to 116619, and the leader's answer said 116753. */
    @Test
    void aFollowerGoesNoFurtherThanItHolds() {
        assertEquals(116_619, LogStartRule.bounded(116_753, 116_619, 116_619));
    }

    /** What a bound by the log's end alone would let through: the answer's high watermark is older than its start. */
    @Test
    void aFollowerGoesNoFurtherThanWhatIsCommitted() {
        assertEquals(10, LogStartRule.bounded(20, 30, 10));
    }

    @Test
    void whatAFollowerHoldsIsLeftAlone() {
        assertEquals(5, LogStartRule.bounded(5, 30, 10));
        assertEquals(10, LogStartRule.bounded(10, 10, 10));
    }

    @Test
    void anAnswersStartIsNotAboveItsWatermark() {
        assertEquals(10, LogStartRule.ofAnswer(20, 10));
        assertEquals(10, LogStartRule.ofAnswer(10, 10));
        assertEquals(0, LogStartRule.ofAnswer(0, 10));
    }

    /** A read that failed answers -1 for everything. */
    @Test
    void theAnswerOfAFailedReadStaysAsItIs() {
        assertEquals(-1, LogStartRule.ofAnswer(-1, -1));
    }

    /** Whatever a leader says, and however it was put together, no follower is told to pass what it holds. */
    @Test
    void neitherRuleEverMovesAStartUp() {
        Random random = new Random(SEED);
        for (int i = 0; i < 10_000; i++) {
            long leaders = random.nextInt(100);
            long watermark = random.nextInt(100);
            long end = watermark + random.nextInt(100);
            long bounded = LogStartRule.bounded(leaders, end, watermark);
            assertTrue(bounded <= leaders && bounded <= end && bounded <= watermark);
            assertTrue(LogStartRule.ofAnswer(leaders, watermark) <= Math.min(leaders, watermark));
        }
    }
}
