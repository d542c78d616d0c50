package insync.core.stepdown;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
    void everyValueIsChecked() {
        assertTrue(refused(StepDownSettings.of(2_000, 500).cooldownMs(-1)).startsWith("cool-down"));
        assertTrue(refused(StepDownSettings.of(2_000, 500).budgetPerMinute(0)).startsWith("budget"));
        assertTrue(refused(StepDownSettings.of(2_000, 500).scoreThreshold(5.1)).startsWith("score threshold"));
        assertTrue(refused(StepDownSettings.of(2_000, 500).scoreRecoveryMs(0)).startsWith("recovery"));
        assertTrue(refused(StepDownSettings.of(2_000, 500).slowPeersMaxRatio(1.5)).startsWith("ratio"));
    }

    @Test
    void ticksAreAQuarterOfTWithinBounds() {
        assertEquals(500, StepDownSettings.of(2_000, 500).build().tickMs());
        assertEquals(40, StepDownSettings.of(100, 50).build().tickMs());
        assertEquals(1_000, StepDownSettings.of(30_000, 500).build().tickMs());
        assertEquals(9_375, StepDownSettings.of(600_000, 500).build().tickMs(), "otherwise no age could exceed T");
    }
}
