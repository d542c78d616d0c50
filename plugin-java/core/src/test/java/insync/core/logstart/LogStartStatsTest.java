package insync.core.logstart;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A fix corrects a log start offset only while it is on. */
class LogStartStatsTest {
    private final LogStartStats fixes = new LogStartStats();

    @ParameterizedTest
    @CsvSource({"false,false", "true,false", "false,true", "true,true"})
    void aFixThatIsOffChangesNothing(boolean bound, boolean snapshot) {
        fixes.turnOn(bound, snapshot);
        fixes.turnOn(false, false); // another broker of the JVM, which asks for none
        assertEquals(bound ? 5 : 9, fixes.bounded(9, 7, 5));
        assertEquals(snapshot ? 5 : 9, fixes.ofAnswer(9, 5));
        assertEquals(snapshot, fixes.answersAsRead());
        assertEquals(bound ? 1 : 0, fixes.bounded.sum());
        assertEquals(snapshot ? 1 : 0, fixes.snapshots.sum());
    }
}
