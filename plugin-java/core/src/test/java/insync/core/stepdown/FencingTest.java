package insync.core.stepdown;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** When a broker asks to be fenced, and when no longer. */
class FencingTest {
    private static final long T_MS = 2_000;
    private static final long COOLDOWN_MS = 60_000;

    private final Fencing fencing = new Fencing(StepDownSettings.of(T_MS, 500).cooldownMs(COOLDOWN_MS));
    private long nowMs = 1_000_000;

    /** Lets time pass in which the broker hangs or not; returns whether the wish ended in it. */
    private boolean pass(long ms, boolean hangs, boolean applied) {
        boolean ended = false;
        for (long end = nowMs + ms; nowMs < end; ) {
            nowMs += 100;
            ended |= fencing.tick(nowMs * 1_000_000L, hangs, applied);
        }
        return ended;
    }

    private boolean ask() {
        return fencing.ask(nowMs * 1_000_000L);
    }

    @Test
    void itAsksUntilNothingHasHungForTAndItsMetadataIsApplied() {
        assertFalse(fencing.wasEverWanted());
        assertTrue(ask());
        assertFalse(ask(), "it does already");
        assertFalse(pass(25_000, true, true));
        assertFalse(pass(25_000, false, false));
        assertFalse(pass(T_MS - 100, false, true));
        assertFalse(pass(1_000, true, true), "it hangs again");
        assertTrue(fencing.isWanted());
        assertTrue(pass(T_MS + 100, false, true));
        assertFalse(fencing.isWanted());
        assertTrue(fencing.wasEverWanted());
    }

    /** A call that hangs has a lock for which the broker waits when it applies metadata, and nothing else may show that. */
    @Test
    void itAsksUntilItHasAppliedThatItIsFenced() {
        fencing.sent(100);
        fencing.answered(true);
        assertFalse(fencing.isGranted(), "it did not ask");
        ask();
        fencing.sent(100);
        fencing.answered(false);
        assertFalse(fencing.isGranted());
        fencing.answered(true);
        assertTrue(fencing.isGranted());
        fencing.sent(100);
        assertFalse(pass(60_000, false, true));
        fencing.sent(102);
        assertTrue(pass(T_MS + 100, false, true));
        assertFalse(fencing.isGranted());
    }

    @Test
    void aBrokerIsDeafThatHasNotAppliedAHandOverForFourT() {
        assertFalse(fencing.isDeaf(4 * T_MS * 1_000_000L));
        assertTrue(fencing.isDeaf(4 * T_MS * 1_000_000L + 1));
    }

    @Test
    void aBrokerThatHangsAgainSoonStaysFencedForLonger() {
        long calm = T_MS;
        for (int time = 0; time < 3; time++) {
            ask();
            pass(5_000, true, true);
            assertFalse(pass(calm - 100, false, true), "after " + calm);
            assertTrue(pass(200, false, true));
            calm *= 2;
        }
        pass(COOLDOWN_MS, false, true);
        ask();
        assertTrue(pass(T_MS + 100, false, true), "after a cool-down it is T again");
    }

    @Test
    void howLongItStaysFencedHasABound() {
        for (int time = 0; time < 40; time++) {
            ask();
            assertTrue(pass(8 * T_MS + 200, false, true));
        }
    }

    @Test
    void noPartitionThatIsAvailableBecomesUnavailable() {
        assertNull(against(member(3, 2, false), member(2, 1, false)));
        assertNull(against(member(2, 3, false)), "it is below already, and has another replica");
        assertNull(against(member(2, 2, true), member(1, 1, true)), "acks wait for this broker anyway");
        assertNotNull(against(member(1, 2, false)), "it is below already, and would have no leader");
        assertEquals("it would leave too few replicas in sync of t-0", against(member(2, 2, false), member(3, 2, false)));
        assertEquals("it would leave too few replicas in sync of t-0 and 1 more partitions",
            against(member(1, 1, false), member(1, 0, false)));
    }

    @Test
    void aPartitionNeedsNoMoreReplicasThanItHas() {
        assertNotNull(against(new Fencing.Member("t-0", 1, 1, 2, false)));
        assertNotNull(against(new Fencing.Member("t-0", 2, 2, 3, false)));
    }

    @Test
    void whereManyBrokersAreFencedItIsNotThisOneThatIsSick() {
        assertNull(fencing.against(List.of(), 2, 1, 1));
        assertEquals("2 of 2 other brokers are fenced or dead", fencing.against(List.of(), 2, 0, 1));
    }

    @Test
    void aBrokerWithSeveralLogDirectoriesKeepsThoseThatWork() {
        assertEquals("the broker has 2 log directories, and fencing would give up those that work",
            fencing.against(List.of(), 2, 2, 2));
    }

    private String against(Fencing.Member... members) {
        return fencing.against(List.of(members), 2, 2, 1);
    }

    private static Fencing.Member member(int isrSize, int minIsr, boolean hangs) {
        return new Fencing.Member("t-0", isrSize, 3, minIsr, hangs);
    }
}
