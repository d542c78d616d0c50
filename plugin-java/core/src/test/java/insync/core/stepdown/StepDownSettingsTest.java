package insync.core.stepdown;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Invalid settings are refused with the expected values. */
class StepDownSettingsTest {

    private static String refused(StepDownSettings.Builder settings) {
        return assertThrows(IllegalArgumentException.class, settings::build).getMessage();
    }

    @Test
    void theDefaultsAreAllowed() {
        StepDownSettings settings = StepDownSettings.of(2_000, 500).build();
        assertEquals(StepDownSettings.Via.AUTO, settings.via());
        assertEquals(StepDownSettings.ExLeader.KEEP_LAST, settings.exLeader());
        assertEquals("keep-last", StepDownSettings.name(settings.exLeader()));
    }

    @Test
    void theTimeForAFetchMayBeShorterThanItsWaitForRecords() {
        assertEquals(500_000_000L, StepDownSettings.of(500, 500).build().processTimeMaxNanos(), "the KIP's example");
        assertEquals(100_000_000L, StepDownSettings.of(100, 5_000).build().processTimeMaxNanos());
        assertTrue(refused(StepDownSettings.of(0, 500)).contains("more than 0"));
    }

    @Test
    void anAppendHasALimitOfItsOwnOrNone() {
        assertFalse(StepDownSettings.of(2_000, 500).build().timesAppends());
        StepDownSettings settings = StepDownSettings.of(2_000, 500).appendTimeMaxMs(700).build();
        assertTrue(settings.timesAppends());
        assertEquals(700_000_000L, settings.appendTimeMaxNanos());
        assertEquals(175, settings.tickMs(), "a quarter of the shorter limit");
        assertEquals(9_375, StepDownSettings.of(2_000, 500).appendTimeMaxMs(600_000).build().tickMs());
        assertTrue(refused(StepDownSettings.of(2_000, 500).appendTimeMaxMs(0)).startsWith("process time of an append"));
    }

    @Test
    void aTimeThatIsLearntHasARange() {
        assertEquals(2_000, StepDownSettings.of(2_000, 500).learnt(2_000, 1_000).build().fetchLimitMs());
        assertTrue(refused(StepDownSettings.of(2_000, 500).learnt(2_001, 1_000)).startsWith("least process time, ms is 2001"));
        assertTrue(refused(StepDownSettings.of(2_000, 500).appendTimeMaxMs(300).learnt(301, 1_000)).endsWith("the least is 300"));
        assertTrue(refused(StepDownSettings.of(2_000, 500).learnt(0, 1_000)).startsWith("least process time"));
        assertTrue(refused(StepDownSettings.of(2_000, 500).learnt(500, 999)).startsWith("window"));
    }

    @Test
    void everyValueIsChecked() {
        assertTrue(refused(StepDownSettings.of(2_000, 500).cooldownMs(-1)).startsWith("cool-down"));
        assertTrue(refused(StepDownSettings.of(2_000, 500).budgetPerMinute(0)).startsWith("budget"));
        assertTrue(refused(StepDownSettings.of(2_000, 500).scoreThreshold(5.1)).startsWith("score threshold"));
        assertTrue(refused(StepDownSettings.of(2_000, 500).scoreRecoveryMs(0)).startsWith("recovery"));
        assertTrue(refused(StepDownSettings.of(2_000, 500).slowPeersMaxRatio(1.5)).startsWith("ratio"));
    }

    /** A config is a long, and what it is measured with are nanoseconds: a long time must not become a negative one. */
    @Test
    void aTimeOfAnyLengthIsNoShorterThanAShorterOne() {
        Random random = new Random(5);
        for (int i = 0; i < 20_000; i++) {
            long ms = i == 0 ? Long.MAX_VALUE : 1 + (random.nextLong() >>> (1 + random.nextInt(63)));
            StepDownSettings settings = StepDownSettings.of(ms, 500).cooldownMs(ms).scoreRecoveryMs(ms).build();
            long least = Math.min(ms, 1_000_000_000L) * 1_000_000L;
            String of = ms + " ms";
            assertTrue(settings.processTimeMaxNanos() >= least, of);
            assertTrue(settings.cooldownNanos() >= least, of);
            assertTrue(settings.scoreRecoveryNanos() >= least, of);
            assertTrue(settings.tickMs() >= 40 && settings.tickMs() * 1_000_000L > 0, of);
        }
    }

    @Test
    void ticksAreAQuarterOfTWithinBounds() {
        assertEquals(500, StepDownSettings.of(2_000, 500).build().tickMs());
        assertEquals(40, StepDownSettings.of(100, 50).build().tickMs());
        assertEquals(1_000, StepDownSettings.of(30_000, 500).build().tickMs());
        assertEquals(9_375, StepDownSettings.of(600_000, 500).build().tickMs(), "otherwise no age could exceed T");
    }
}
