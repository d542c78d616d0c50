package insync.core.isr;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import insync.core.Insync;
import insync.core.ManualClock;
import insync.core.events.EventLog;
import insync.core.log.PendingReport;
import org.junit.jupiter.api.Test;

/** The threads of a scope end with its broker: Kafka's own tests start many brokers in one JVM. */
class ThreadsTest {
    private static final long WITHIN_MS = 10_000;

    @Test
    void theLeadersClockEnds() throws Exception {
        LeaderClock clock = new LeaderClock(new ManualClock());
        assertEnds("insync-leader-clock", clock::start, clock::stop);
    }

    @Test
    void theSummariesEnd() throws Exception {
        PendingReport report = new PendingReport(new Insync(EventLog.none()), 1_000);
        assertEnds("insync-pending-report", report::start, report::stop);
    }

    private static void assertEnds(String name, Runnable start, Runnable stop) throws InterruptedException {
        start.run();
        Thread thread = find(name);
        assertTrue(thread.isAlive());
        stop.run();
        thread.join(WITHIN_MS);
        assertFalse(thread.isAlive());
    }

    private static Thread find(String name) {
        return Thread.getAllStackTraces().keySet().stream().filter(each -> each.getName().equals(name)).findFirst()
            .orElseThrow(() -> new AssertionError("no thread " + name));
    }
}
