package insync.core.stepdown.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import insync.core.Clock;
import insync.core.stepdown.Reason;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Which requests a woven controller takes for a step-down, and what it records. */
class RelinquishRuleTest {

    @Test
    void theSameMembersWithTheLeaderLastAreAStepDown() {
        assertTrue(RelinquishRule.asksToStepDown(new int[] {1, 2, 3}, 1, new int[] {3, 2, 1}));
        assertTrue(RelinquishRule.asksToStepDown(new int[] {2, 3, 1}, 1, new int[] {2, 3, 1}), "asked again");
    }

    /** Every kind of request that Kafka itself sends: shrinks, expansions, and members in the order of a Scala set. */
    @Test
    void otherRequestsAreNotAStepDown() {
        int[] isr = {1, 2, 3};
        assertFalse(RelinquishRule.asksToStepDown(isr, 1, new int[] {1, 2, 3}), "leader not last");
        assertFalse(RelinquishRule.asksToStepDown(isr, 1, new int[] {2, 1}), "shrink with the leader last");
        assertFalse(RelinquishRule.asksToStepDown(isr, 1, new int[] {2, 3, 4, 1}), "expansion");
        assertFalse(RelinquishRule.asksToStepDown(isr, 1, new int[] {2, 4, 1}), "other members");
        assertFalse(RelinquishRule.asksToStepDown(isr, 1, new int[] {2, 2, 1}), "a member twice");
        assertFalse(RelinquishRule.asksToStepDown(new int[] {1}, 1, new int[] {1}), "alone");
    }

    @Test
    void theFirstMemberThatMayLeadIsTheSuccessor() {
        assertEquals(3, RelinquishRule.successor(new int[] {3, 2, 1}, 1, id -> true));
        assertEquals(2, RelinquishRule.successor(new int[] {3, 2, 1}, 1, id -> id != 3));
        assertEquals(RelinquishRule.NOBODY, RelinquishRule.successor(new int[] {3, 2, 1}, 1, id -> id == 1));
    }

    @Test
    void theLeaderLeavesOnlyIfEnoughMembersRemain() {
        assertTrue(RelinquishRule.mayLeave(new int[] {3, 2, 1}, 2));
        assertFalse(RelinquishRule.mayLeave(new int[] {2, 1}, 2));
        assertFalse(RelinquishRule.mayLeave(new int[] {1}, 0));
    }

    @Test
    void theTagHasTheRequestedOptions() {
        RelinquishTag tag = RelinquishTag.decode(RelinquishTag.encode(true, 300_000, Reason.READ_ERROR));
        assertTrue(tag.leaves);
        assertEquals(300_000, tag.cooldownMs);
        assertEquals(Reason.READ_ERROR, tag.reason);
        Arrays.stream(Reason.values()).filter(Reason::acts)
            .forEach(each -> assertEquals(each, RelinquishTag.decode(RelinquishTag.encode(false, 0, each)).reason));
        for (byte[] foreign : new byte[][] {null, {}, {1}}) {
            assertFalse(RelinquishTag.decode(foreign).leaves);
            assertEquals(0, RelinquishTag.decode(foreign).cooldownMs);
        }
    }

    /** In a rolling upgrade of the agent, leaders and controllers have different versions. */
    @Test
    void aTagWithoutAReasonOrWithAnUnknownOneIsRead() {
        byte[] newer = RelinquishTag.encode(true, 7, Reason.SLOW_FETCH);
        RelinquishTag older = RelinquishTag.decode(Arrays.copyOf(newer, newer.length - 1));
        assertTrue(older.leaves);
        assertEquals(7, older.cooldownMs);
        assertNull(older.reason);
        newer[newer.length - 1] = 99;
        assertNull(RelinquishTag.decode(newer).reason);
        assertEquals(7, RelinquishTag.decode(Arrays.copyOf(newer, newer.length + 5)).cooldownMs);
    }

    @Test
    void anExLeaderIsExcludedOnlyForItsCooldown() {
        long[] now = {0};
        RecentStepDowns<String> recent = new RecentStepDowns<>(new Clock() {
            @Override
            public long millis() {
                return now[0] / 1_000_000L;
            }

            @Override
            public long nanos() {
                return now[0];
            }
        });
        recent.add("p", 1, 10);
        assertTrue(recent.contains("p", 1));
        assertFalse(recent.contains("p", 2));
        assertFalse(recent.contains("q", 1));
        now[0] = 10_000_001L;
        assertFalse(recent.contains("p", 1));
        recent.add("q", 1, 0);
        assertTrue(recent.isEmpty(), "expired entries are removed, and 0 is not a cool-down");
        recent.add("r", 1, Long.MAX_VALUE);
        assertTrue(recent.contains("r", 1), "the longest cool-down does not end");
    }
}
