package insync.core.logstart;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** The bounds against KAFKA-7104, with the JIRA's own figures and at random. */
class LogStartRuleTest {
    private static final long SEED = 7104;

    /** The follower had appended up to 116619; the log start offset in the leader's response was 116753. */
    @Test
    void aFollowerIsBoundedByItsOwnLogEnd() {
        assertEquals(116_619, LogStartRule.bounded(116_753, 116_619, 116_619));
    }

    /** A bound by the log end alone is not enough: the response's high watermark is older than its log start offset. */
    @Test
    void aFollowerIsBoundedByItsHighWatermark() {
        assertEquals(10, LogStartRule.bounded(20, 30, 10));
    }

    @Test
    void anOffsetWithinTheBoundsIsNotChanged() {
        assertEquals(5, LogStartRule.bounded(5, 30, 10));
        assertEquals(10, LogStartRule.bounded(10, 10, 10));
    }

    @Test
    void theLogStartOffsetOfAResponseIsNotAboveItsHighWatermark() {
        assertEquals(10, LogStartRule.ofAnswer(20, 10));
        assertEquals(10, LogStartRule.ofAnswer(10, 10));
        assertEquals(0, LogStartRule.ofAnswer(0, 10));
    }

    /** The response of a failed read has -1 for every offset. */
    @Test
    void theResponseOfAFailedReadIsNotChanged() {
        assertEquals(-1, LogStartRule.ofAnswer(-1, -1));
        assertEquals(-1, LogStartRule.watermarkOfAnswer(-1, 20, -1));
    }

    @Test
    void anAnswersWatermarkIsTheOneThatItsFetchMovedAndNotAboveTheLogThatWasRead() {
        assertEquals(15, LogStartRule.watermarkOfAnswer(10, 15, 20));
        assertEquals(20, LogStartRule.watermarkOfAnswer(10, 25, 20));
        assertEquals(10, LogStartRule.watermarkOfAnswer(10, 5, 20));
    }

    /** Whatever a leader's response says, no rule moves a follower beyond its own offsets. */
    @Test
    void noRuleIncreasesALogStartOffset() {
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
