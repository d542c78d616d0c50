package insync.bridge.pausepoints;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One thread pauses at the requested point, for a limited time. */
@Timeout(30)
class PausePointsTest {
    private static final String POINT = "leader-read";
    private static final long LONG_MS = 20_000;
    private final PausePoints points = new PausePoints();

    @BeforeEach
    void weave() {
        points.open();
    }

    @Test
    void aMatchingThreadWaitsUntilReleased() throws Exception {
        points.pause(POINT, 2, "t-0", LONG_MS);
        Thread held = passing(2, "t-0");
        awaitWaiting();
        points.release(POINT);
        held.join();
        assertEquals(false, state().get("waiting"));
        assertEquals(true, state().get("held"));
        assertEquals(false, state().get("expired"));
    }

    @Test
    void otherThreadsPass() throws Exception {
        points.pause(POINT, 2, "t-0", LONG_MS);
        passing(3, "t-0").join();
        passing(2, "t-1").join();
        points.pass("leader-recorded", 2, "t-0");
        assertEquals(false, state().get("held"));
    }

    /** To fix the order of two threads, the second must be able to pass the point at which the first waits. */
    @Test
    void onlyTheFirstThreadPauses() throws Exception {
        points.pause(POINT, -1, "", LONG_MS);
        Thread first = passing(2, "t-0");
        awaitWaiting();
        passing(2, "t-0").join();
        assertTrue(first.isAlive());
        points.release(POINT);
        first.join();
    }

    /** A test may die: the broker's thread then continues by itself. */
    @Test
    void aPauseEndsAfterItsLongestTime() throws Exception {
        points.pause(POINT, -1, "", 50);
        passing(2, "t-0").join();
        assertEquals(true, state().get("expired"));
    }

    @Test
    void anotherPauseAtThePointReleasesTheFirst() throws Exception {
        points.pause(POINT, -1, "", LONG_MS);
        Thread first = passing(2, "t-0");
        awaitWaiting();
        points.pause(POINT, -1, "", LONG_MS);
        first.join();
        assertEquals(false, state().get("held"));
    }

    /** A broker that shuts down interrupts its threads. */
    @Test
    void anInterruptEndsAPauseAndIsNotLost() throws Exception {
        points.pause(POINT, -1, "", LONG_MS);
        boolean[] kept = new boolean[1];
        Thread held = new Thread(() -> {
            points.pass(POINT, 2, "t-0");
            kept[0] = Thread.currentThread().isInterrupted();
        });
        held.start();
        awaitWaiting();
        held.interrupt();
        held.join();
        assertTrue(kept[0]);
    }

    @Test
    void pausesAreRefusedIfThePointsAreNotWovenOrTheTimeIsTooLong() {
        IllegalStateException closed = assertThrows(IllegalStateException.class,
            () -> new PausePoints().pause(POINT, -1, "", LONG_MS));
        assertTrue(closed.getMessage().contains("pause-points=on"));
        assertThrows(IllegalArgumentException.class, () -> points.pause(POINT, -1, "", 0));
        assertThrows(IllegalArgumentException.class, () -> points.pause(POINT, -1, "", PausePoints.MAX_MS + 1));
        points.pass(POINT, 2, "t-0");
        points.release(POINT);
        assertFalse(points.toMap().containsKey(POINT));
    }

    private Thread passing(int replica, String partition) {
        Thread thread = new Thread(() -> points.pass(POINT, replica, partition));
        thread.start();
        return thread;
    }

    private void awaitWaiting() throws InterruptedException {
        while (!Boolean.TRUE.equals(state().get("waiting"))) {
            Thread.sleep(1);
        }
    }

    @SuppressWarnings("unchecked") // a map per point, as toMap says
    private Map<String, Object> state() {
        return (Map<String, Object>) points.toMap().get(POINT);
    }
}
