package insync.bridge.pausepoints;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

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
}
