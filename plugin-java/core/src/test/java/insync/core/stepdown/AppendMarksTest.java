package insync.core.stepdown;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** What the watch sees of appends that threads make, and what the marks cost those threads. */
class AppendMarksTest {
    private static final Object EVENTS = "events-0";
    private static final int SELF = 1001;

    private final AppendMarks marks = new AppendMarks();

    private PendingAppend oldest() {
        return AppendMarks.oldest(EVENTS, marks.pending(SELF));
    }

    @Test
    void anAppendIsSeenFromItsBeginToItsEnd() {
        assertNull(oldest());
        marks.own().serve("request");
        marks.own().begin(EVENTS, SELF, 7);
        PendingAppend seen = oldest();
        assertSame(EVENTS, seen.partition);
        assertEquals(7, seen.sinceNanos);
        assertEquals(AppendSite.LOCK, seen.site);
        assertEquals("request", seen.request);
        assertNull(AppendMarks.oldest("events-1", marks.pending(SELF)));
        marks.own().end();
        assertNull(oldest());
        assertEquals(List.of(), marks.pending(SELF));
    }

    /** Kafka's own tests run several brokers in a JVM. One that hangs must not make another one ask to be fenced. */
    @Test
    void aBrokerSeesNoAppendOfAnotherOne() {
        marks.own().begin(EVENTS, 1002, 7);
        assertEquals(List.of(), marks.pending(SELF));
        assertEquals(7, marks.pending(1002).get(0).sinceNanos);
    }

    @Test
    void aThreadThatDoesNotAppendHasNoSite() {
        marks.own().begin(EVENTS, SELF, 7);
        marks.own().end();
        marks.own().enter(AppendSite.LOG);
        marks.own().begin(EVENTS, SELF, 8);
        assertEquals(AppendSite.LOCK, oldest().site);
    }

    @Test
    void theOldestAppendHasTheSiteOfTheOneThatItWaitsFor() throws Exception {
        marks.own().begin(EVENTS, SELF, 3);
        marks.own().enter(AppendSite.LOCK);
        inAnotherThread(() -> {
            marks.own().begin(EVENTS, SELF, 5);
            marks.own().enter(AppendSite.LOG);
            PendingAppend seen = oldest();
            assertEquals(3, seen.sinceNanos);
            assertEquals(AppendSite.LOG, seen.site);
            marks.own().end();
        });
        assertEquals(AppendSite.LOCK, oldest().site);
    }

    /** Kafka's request handler threads come and go with num.io.threads. */
    @Test
    void aMarkGoesWithItsThread() throws Exception {
        inAnotherThread(() -> marks.own().begin(EVENTS, SELF, 7));
        long end = System.nanoTime() + 10_000_000_000L;
        while (!marks.pending(SELF).isEmpty()) {
            assertTrue(System.nanoTime() < end, "the mark of a thread that has ended is still seen");
            System.gc();
        }
    }

    /** The watch reads a mark while its thread changes it: what it sees always belongs to one append. */
    @Test
    void aMarkIsReadWholeWhileItChanges() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        ExecutorService one = Executors.newSingleThreadExecutor();
        Long[] partitions = {0L, 1L};
        Future<?> appends = one.submit(() -> {
            for (long now = 0; !stop.get(); now++) {
                marks.own().serve(partitions[(int) (now % 2)]);
                marks.own().begin(partitions[(int) (now % 2)], SELF, now);
                marks.own().end();
            }
        });
        int seen = 0;
        long end = System.nanoTime() + 20_000_000_000L;
        try {
            while (seen < 10_000 && System.nanoTime() < end) {
                for (PendingAppend append : marks.pending(SELF)) {
                    assertSame(partitions[(int) (append.sinceNanos % 2)], append.partition);
                    assertSame(append.partition, append.request);
                    seen++;
                }
            }
        } finally {
            stop.set(true);
            one.shutdown();
        }
        appends.get();
        assertEquals(10_000, seen);
    }

    @Test
    void anAppendAllocatesNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long id = Thread.currentThread().getId();
        append();
        long before = threads.getThreadAllocatedBytes(id);
        for (int i = 0; i < 100_000; i++) {
            append();
        }
        long allocated = threads.getThreadAllocatedBytes(id) - before;
        assertTrue(allocated < 100_000, () -> allocated + " bytes in 100,000 appends, expected less than one each");
    }

    private void append() {
        AppendMark mark = marks.own();
        mark.serve(EVENTS);
        mark.begin(EVENTS, SELF, 7);
        marks.own().enter(AppendSite.LOG);
        mark.end();
        mark.serve(null);
    }

    private static void inAnotherThread(Runnable work) throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            other.submit(work).get();
        } finally {
            other.shutdown();
        }
    }
}
