package insync.core.stepdown;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Clients are disconnected if their thread was blocked when a partition was given away, and for longer than T. */
class DisconnectRuleTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long GIVEN = 100 * SECOND;

    private final DisconnectRule rule = new DisconnectRule(WatchedBroker.settings());

    @Test
    void nothingIsDueBeforeAPartitionIsGivenAway() {
        assertFalse(rule.isArmed());
        assertFalse(rule.isDue(GIVEN));
        assertFalse(rule.hangs(GIVEN - 10 * SECOND, GIVEN));
    }

    @Test
    void clientsGetTimeToLearnTheNewLeader() {
        rule.given(GIVEN);
        assertFalse(rule.isDue(GIVEN + DisconnectRule.GRACE_NANOS - 1));
        assertTrue(rule.isDue(GIVEN + DisconnectRule.GRACE_NANOS));
        rule.given(GIVEN + DisconnectRule.GRACE_NANOS);
        assertTrue(rule.isDue(GIVEN + DisconnectRule.GRACE_NANOS), "counted from the first partition");
    }

    @Test
    void anAppendOfAPartitionThatIsGivenAwayHangsIfItTakesLongerThanARefusal() {
        assertFalse(rule.hangsAfterwards(GIVEN - SECOND, GIVEN), "nothing is given away");
        rule.given(GIVEN);
        assertTrue(rule.hangsAfterwards(GIVEN - SECOND, GIVEN), "whether or not it is longer than T");
        assertFalse(rule.hangsAfterwards(GIVEN, GIVEN + DisconnectRule.GRACE_NANOS - 1));
    }

    @Test
    void onlyABlockFromBeforeAndForLongerThanTCounts() {
        rule.given(GIVEN);
        long now = GIVEN + 3 * SECOND;
        assertTrue(rule.hangs(GIVEN - SECOND, now));
        assertFalse(rule.hangs(GIVEN + SECOND / 2, now), "it blocked later");
        assertFalse(rule.hangs(GIVEN, GIVEN + SECOND), "for less than T");
        rule.ended();
        assertFalse(rule.hangs(GIVEN - SECOND, now));
    }
}
