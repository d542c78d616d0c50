package insync.core.stepdown;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** What follows from the settings, whatever they are. */
class StepDownSettingsTest {

    @Test
    void theDefaultsAreAllowed() {
        StepDownSettings settings = StepDownSettings.of(2_000, 500);
        assertEquals(StepDownSettings.Via.AUTO, settings.via());
        assertEquals(StepDownSettings.ExLeader.LEAVE, settings.exLeader());
        assertEquals("leave", StepDownSettings.name(settings.exLeader()));
        assertTrue(settings.timesAppends());
    }

    @Test
    void theTimeForAFetchMayBeShorterThanItsWaitForRecords() {
        assertEquals(500_000_000L, StepDownSettings.of(500, 500).processTimeMaxNanos(), "the KIP's example");
        assertEquals(100_000_000L, StepDownSettings.of(100, 5_000).processTimeMaxNanos());
    }

    /** A config is a long, and what it is measured with are nanoseconds: a long time must not become a negative one. */
    @Test
    void aTimeOfAnyLengthIsNoShorterThanAShorterOne() {
        Random random = new Random(5);
        for (int i = 0; i < 20_000; i++) {
            long ms = i == 0 ? Long.MAX_VALUE : 1 + (random.nextLong() >>> (1 + random.nextInt(63)));
            StepDownSettings settings = StepDownSettings.of(ms, 500).cooldownMs(ms);
            long least = Math.min(ms, 1_000_000_000L) * 1_000_000L;
            String of = ms + " ms";
            assertTrue(settings.processTimeMaxNanos() >= least, of);
            assertTrue(settings.cooldownNanos() >= least, of);
            assertTrue(settings.slowNanos() >= least / 10, of);
            assertTrue(settings.tickMs() >= 40 && settings.tickMs() * 1_000_000L > 0, of);
        }
    }

    @Test
    void ticksAreAQuarterOfTWithinBounds() {
        assertEquals(500, StepDownSettings.of(2_000, 500).tickMs());
        assertEquals(40, StepDownSettings.of(100, 50).tickMs());
        assertEquals(1_000, StepDownSettings.of(30_000, 500).tickMs());
        assertEquals(9_375, StepDownSettings.of(600_000, 500).tickMs(), "otherwise no age could exceed T");
    }
}
