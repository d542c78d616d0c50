package insync.core;

import static org.junit.jupiter.api.Assertions.assertEquals;

import insync.core.events.EventLog;
import insync.core.events.RecordedEvents;
import insync.core.log.BrokerLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Exceptions of our own code are counted, printed once per kind, and never reach the broker. */
class FailuresTest {
    @AfterEach
    void uninstall() {
        Insync.install(new Insync(new EventLog()));
    }

    @Test
    void eachKindIsPrintedOnceAlsoIfTwoTakeTurns() {
        RecordedEvents events = new RecordedEvents();
        Failures failures = new Failures(events, new BrokerLog());
        for (int i = 0; i < 1_000; i++) {
            failures.record("first", new IllegalStateException("offset " + i));
            failures.record("second", new IllegalStateException("offset " + i));
        }
        failures.record("first", new NullPointerException());
        assertEquals(2_001, failures.count());
        assertEquals(3, events.all.size());
        assertEquals("first: java.lang.NullPointerException", failures.last());
    }

    @Test
    void theKindsThatArePrintedAreBounded() {
        RecordedEvents events = new RecordedEvents();
        Failures failures = new Failures(events, new BrokerLog());
        for (int i = 0; i < 10_000; i++) {
            failures.record("place " + i, new IllegalStateException());
        }
        assertEquals(10_000, failures.count());
        assertEquals(100, events.all.size());
    }

    @Test
    void whatCannotBePrintedIsCountedAndNotThrown() {
        Insync insync = new Insync(new EventLog());
        Insync.install(insync);
        Insync.failed(new Unprintable());
        assertEquals(1, insync.failures.count());
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
