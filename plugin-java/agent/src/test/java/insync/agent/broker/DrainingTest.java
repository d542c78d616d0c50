package insync.agent.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** For how long a scope that is turned off keeps its effect, and its memory. */
class DrainingTest {
    private static final long LONG_MS = TimeUnit.HOURS.toMillis(1);

    private final BlockingQueue<Object> stopped = new LinkedBlockingQueue<>();
    private final Draining<Object> draining = new Draining<>(stopped::add);

    @Test
    void aScopeEndsAfterItsTime() throws Exception {
        draining.add("off", 1);
        assertEquals("off", stopped.poll(10, TimeUnit.SECONDS));
        assertEquals(List.of(), draining.scopes);
    }

    @Test
    void eachEndsOnce() {
        for (int i = 0; i < 6; i++) {
            draining.add(i, LONG_MS);
        }
        assertEquals(List.of(0, 1), List.copyOf(stopped), "more than are kept");
        draining.stop();
        draining.stop();
        assertEquals(List.of(0, 1, 2, 3, 4, 5), List.copyOf(stopped));
    }

    /** replica.lag.time.max.ms may be hours, and a JVM of Kafka's own tests starts many brokers. */
    @Test
    void whatHasEndedIsNotKeptUntilItsTime() throws Exception {
        WeakReference<Object> scope = addAndStop();
        for (int i = 0; i < 200 && scope.get() != null; i++) {
            System.gc();
            Thread.sleep(10);
        }
        assertTrue(scope.get() == null, "a timer keeps the scope");
    }

    private WeakReference<Object> addAndStop() throws Exception {
        Object scope = new Object();
        draining.add(scope, LONG_MS);
        draining.stop();
        stopped.take();
        return new WeakReference<>(scope);
    }
}
