package insync.core.isr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import insync.core.Clock;
import insync.core.Insync;
import insync.core.ManualClock;
import insync.core.events.EventLog;
import insync.core.log.PendingReport;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The threads of a scope end with its broker: Kafka's own tests start many brokers in one JVM. */
class ThreadsTest {
    private static final long WITHIN_MS = 10_000;

    @Test
    void theLeadersClockEnds() throws Exception {
        LeaderClock clock = new LeaderClock(new ManualClock());
        assertEnds("insync-leader-clock", () -> clock.start(failed -> { }), clock::stop);
    }

    /** Without ticks every follower would be forgiven as if the process did not run. */
    @Test
    void aFailureDoesNotEndTheTicks() throws Exception {
        BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();
        BrokenClock broken = new BrokenClock();
        LeaderClock clock = new LeaderClock(broken);
        broken.error = new OutOfMemoryError("for the test");
        clock.start(failures::add);
        try {
            assertEquals(broken.error, failures.poll(WITHIN_MS, TimeUnit.MILLISECONDS));
            broken.error = null;
            broken.asked.drainPermits();
            assertTrue(broken.asked.tryAcquire(2, WITHIN_MS, TimeUnit.MILLISECONDS), "ticks");
        } finally {
            clock.stop();
        }
    }

    /** Throws its error, if it has one, and counts how often it was asked otherwise. */
    private static final class BrokenClock implements Clock {
        private final Semaphore asked = new Semaphore(0);
        private volatile Error error;

        @Override
        public long millis() {
            return 0;
        }

        @Override
        public long nanos() {
            if (error != null) {
                throw error;
            }
            asked.release();
            return 0;
        }
    }

    @Test
    void theSummariesEnd() throws Exception {
        PendingReport report = new PendingReport(new Insync(new EventLog()), 1_000);
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
