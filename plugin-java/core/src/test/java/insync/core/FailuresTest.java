package insync.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import insync.core.events.EventLog;
import insync.core.log.BrokerLog;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Exceptions of our own code are counted, printed once per kind, and never reach the broker. */
class FailuresTest {
    @TempDir
    Path folder;

    @AfterEach
    void uninstall() {
        Insync.install(new Insync(EventLog.none()));
    }

    @Test
    void eachKindIsPrintedOnceAlsoIfTwoTakeTurns() throws Exception {
        Path file = folder.resolve("events.jsonl");
        Failures failures = new Failures(EventLog.to(file), new BrokerLog());
        for (int i = 0; i < 1_000; i++) {
            failures.record("first", new IllegalStateException("offset " + i));
            failures.record("second", new IllegalStateException("offset " + i));
        }
        failures.record("first", new NullPointerException());
        assertEquals(2_001, failures.count());
        assertEquals(3, linesOf(file, 3).size());
        assertEquals("first: java.lang.NullPointerException", failures.last());
    }

    @Test
    void theKindsThatArePrintedAreBounded() throws Exception {
        Path file = folder.resolve("events.jsonl");
        Failures failures = new Failures(EventLog.to(file), new BrokerLog());
        for (int i = 0; i < 10_000; i++) {
            failures.record("place " + i, new IllegalStateException());
        }
        assertEquals(10_000, failures.count());
        assertEquals(100, linesOf(file, 100).size());
    }

    @Test
    void whatCannotBePrintedIsCountedAndNotThrown() {
        Insync insync = new Insync(EventLog.none());
        Insync.install(insync);
        Insync.failed(new Unprintable());
        assertEquals(1, insync.failures().count());
    }

    /** Waits for the thread that writes events. */
    private static List<String> linesOf(Path file, int count) throws Exception {
        long end = System.nanoTime() + 10_000_000_000L;
        while (Files.readAllLines(file).size() < count) {
            assertTrue(System.nanoTime() < end, () -> "lines within 10 s, expected " + count);
            Thread.onSpinWait();
        }
        return Files.readAllLines(file);
    }

    private static final class Unprintable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public StackTraceElement[] getStackTrace() {
            throw new OutOfMemoryError("planted");
        }

        @Override
        public String toString() {
            throw new OutOfMemoryError("planted");
        }
    }
}
