package insync.core.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import insync.core.log.BrokerLog.Level;
import insync.core.log.BrokerLog.LogLimit;
import insync.core.log.BrokerLog.Name;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Lines reach the broker's log in order, in a thread of their own, and a flood of them does not. */
class BrokerLogTest {
    private static final long LONG_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** A log whose lines are read by the test; DEBUG is off unless the test turns it on. */
    static class Lines implements BrokerLog.Sink {
        private final BlockingQueue<String> all = new LinkedBlockingQueue<>();
        private volatile Level level = Level.INFO;

        @Override
        public boolean isOn(Name name, Level asked) {
            return asked.compareTo(level) >= 0;
        }

        @Override
        public void write(Name name, Level written, String line) {
            all.add(name.logger() + " " + written + " " + line);
        }

        String next() throws InterruptedException {
            return all.poll(20, TimeUnit.SECONDS);
        }
    }

    private final Lines lines = new Lines();

    private BrokerLog open(long windowNanos) {
        BrokerLog log = new BrokerLog(windowNanos);
        log.open(lines);
        return log;
    }

    private static void flood(BrokerLog log, int count) {
        for (int i = 0; i < count; i++) {
            int number = i;
            log.offer(Name.PENDING_READS, Level.INFO, () -> "held " + number);
        }
    }

    @Test
    void aLineHasItsLoggerAndItsLevel() throws Exception {
        BrokerLog log = open(LONG_NANOS);
        log.offer(Name.STEP_DOWN, Level.WARN, () -> "refused");
        log.offer(Name.AGENT, Level.INFO, () -> "on");
        assertEquals("insync.StepDown WARN refused", lines.next());
        assertEquals("insync.Agent INFO on", lines.next());
        assertEquals(0, log.dropped());
    }

    @Test
    void aLevelThatIsOffCostsNoText() throws Exception {
        BrokerLog log = open(LONG_NANOS);
        lines.level = Level.WARN;
        log.offer(Name.AGENT, Level.INFO, () -> {
            throw new AssertionError("made although INFO is off");
        });
        log.offer(Name.AGENT, Level.ERROR, () -> "next");
        assertEquals("insync.Agent ERROR next", lines.next());
    }

    @Test
    void aFloodIsCutAndCountedAndOtherLoggersAreNotAffected() throws Exception {
        BrokerLog log = open(SHORT_NANOS);
        flood(log, BrokerLog.LINES + 7);
        log.offer(Name.STEP_DOWN, Level.INFO, () -> "steps down");
        int left = 0;
        int held = 0;
        boolean steppedDown = false;
        while (held + left < BrokerLog.LINES + 7 || !steppedDown) {
            String line = lines.next();
            held += line.contains("held") ? 1 : 0;
            steppedDown |= line.equals("insync.StepDown INFO steps down");
            left += line.contains("left out") ? Integer.parseInt(line.split(" ")[2]) : 0;
        }
        assertEquals(BrokerLog.LINES + 7, held + left, "each is written or counted");
        assertEquals(0, log.dropped());
    }

    @Test
    void aWindowThatIsOverLetsLinesThroughAgain() {
        LogLimit limit = new LogLimit(2, 100);
        assertTrue(limit.allows(0) && limit.allows(1) && !limit.allows(2) && !limit.allows(99));
        assertEquals(0, limit.leftOut(99), "the window is not over");
        assertEquals(2, limit.leftOut(100));
        assertEquals(0, limit.leftOut(101), "said once");
        assertTrue(limit.allows(102));
    }

    @Test
    void atLevelDebugEveryLineIsWritten() throws Exception {
        lines.level = Level.DEBUG;
        BrokerLog log = open(LONG_NANOS);
        flood(log, 3 * BrokerLog.LINES);
        for (int i = 0; i < 3 * BrokerLog.LINES; i++) {
            assertEquals("insync.PendingReads INFO held " + i, lines.next());
        }
    }

    /** The log's disk stalls, as it may when the leader's does: callers go on, and the lines that do not fit are counted. */
    @Test
    void aStuckLogDelaysNobody() throws Exception {
        CountDownLatch stuck = new CountDownLatch(1);
        BrokerLog log = new BrokerLog(LONG_NANOS);
        log.open(new Lines() {
            @Override
            public void write(Name name, Level level, String line) {
                try {
                    stuck.await();
                } catch (InterruptedException ending) {
                    Thread.currentThread().interrupt();
                }
            }
        });
        assertTimeoutPreemptively(Duration.ofSeconds(20), () -> flood(log, BrokerLog.CAPACITY + 100));
        assertTrue(log.dropped() == 99 || log.dropped() == 100, "one line may have left the queue: " + log.dropped());
        stuck.countDown();
    }

    @Test
    void aLineThatCannotBeMadeOrWrittenIsCountedAndTheNextIsWritten() throws Exception {
        BrokerLog log = open(LONG_NANOS);
        log.offer(Name.AGENT, Level.INFO, () -> {
            throw new IllegalStateException("broken");
        });
        log.offer(Name.AGENT, Level.INFO, () -> "good");
        assertEquals("insync.Agent INFO good", lines.next());
        assertEquals(1, log.dropped());
    }

    @Test
    void beforeALogIsOpenLinesAreDiscarded() throws Exception {
        BrokerLog log = new BrokerLog(LONG_NANOS);
        log.offer(Name.AGENT, Level.INFO, () -> "early");
        log.open(lines);
        log.open(new Lines());
        log.offer(Name.AGENT, Level.INFO, () -> "late");
        assertEquals("insync.Agent INFO late", lines.next());
        assertNull(lines.all.poll());
    }
}
