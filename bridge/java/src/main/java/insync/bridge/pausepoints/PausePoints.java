package insync.bridge.pausepoints;

import insync.core.events.EventLog;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Pauses a thread at a named point of a broker's code, so that a test can fix the order of a race. The points are woven
 * only if the agent's options turn them on; then a point costs a lookup in a map.
 *
 * <p>A paused thread keeps its locks, like a thread that the system does not schedule.
 */
public final class PausePoints {
    /** The longest pause, milliseconds. */
    public static final long MAX_MS = 60_000;

    private final Map<String, Pause> pauses = new ConcurrentHashMap<>();
    private volatile boolean open;

    /** Allows pauses, because the points are woven in. */
    public void open() {
        open = true;
    }

    /**
     * Makes the first matching thread that passes a point from now on wait there. Releases an earlier pause at the point.
     *
     * @param point such as "leader-read"
     * @param replica the id of the replica that the thread serves; any if below 0
     * @param partition "topic-partition" that the thread works on; any if empty
     * @param maxMs the longest time to wait, 1 to {@link #MAX_MS} milliseconds
     * @throws IllegalStateException if the points are not woven in
     */
    public void pause(String point, int replica, String partition, long maxMs) {
        if (!open) {
            throw new IllegalStateException("no pause points are woven: expected the agent's option pause-points=on");
        }
        if (maxMs < 1 || maxMs > MAX_MS) {
            throw new IllegalArgumentException("max_ms: " + maxMs + ", expected 1 to " + MAX_MS);
        }
        Pause before = pauses.put(point, new Pause(replica, partition, maxMs));
        if (before != null) {
            before.release();
        }
    }

    /** Lets the thread at a point continue; no other thread pauses there. */
    public void release(String point) {
        Pause pause = pauses.get(point);
        if (pause != null) {
            pause.release();
        }
    }

    /** Waits if a test pauses the thread that passes this point. */
    public void pass(String point, int replica, String partition) {
        Pause pause = pauses.get(point);
        if (pause != null) {
            pause.pass(replica, partition);
        }
    }

    /** Returns the result of the last pause of each point: waiting, held, held_ms, expired. */
    public Map<String, Object> toMap() {
        Map<String, Object> map = new TreeMap<>();
        pauses.forEach((point, pause) -> map.put(point, pause.toMap()));
        return map;
    }

    /** Pauses the first matching thread at one point until it is released or its time is over. */
    private static final class Pause {
        private final int replica;
        private final String partition;
        private final long maxMs;
        private final AtomicBoolean taken = new AtomicBoolean();
        private final CountDownLatch released = new CountDownLatch(1);
        private volatile boolean waiting;
        private volatile boolean expired;
        private volatile long pausedNanos;

        Pause(int replica, String partition, long maxMs) {
            this.replica = replica;
            this.partition = partition;
            this.maxMs = maxMs;
        }

        /** Waits if this thread matches and is the first one. */
        void pass(int servedReplica, String servedPartition) {
            boolean matches = (replica < 0 || replica == servedReplica)
                && (partition.isEmpty() || partition.equals(servedPartition));
            if (!matches || released.getCount() == 0 || !taken.compareAndSet(false, true)) {
                return;
            }
            long since = System.nanoTime();
            waiting = true;
            try {
                expired = !released.await(maxMs, TimeUnit.MILLISECONDS);
            } catch (InterruptedException ending) {
                // The broker stops its thread; the broker's code handles the interrupt.
                Thread.currentThread().interrupt();
            } finally {
                pausedNanos = System.nanoTime() - since;
                waiting = false;
            }
        }

        void release() {
            released.countDown();
        }

        Map<String, Object> toMap() {
            return EventLog.fields("waiting", waiting, "held", taken.get(), "held_ms", pausedNanos / 1_000_000L, "expired", expired);
        }
    }
}
