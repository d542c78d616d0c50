package insync.core.holds;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Named points of a broker's code at which a test may stop a thread, to put the halves of a race in order. Nothing comes
 * by here unless the agent was told to weave the points in; then a point costs a look into a map.
 *
 * <p>A stopped thread keeps the locks that it holds, as one would that the system does not let run: that is what a race is.
 */
public final class HoldPoints {
    /** No thread is held for longer than this, whatever was asked. */
    public static final long MAX_MS = 60_000;

    private final Map<String, Hold> holds = new ConcurrentHashMap<>();
    private volatile boolean open;

    /** The points are woven in. */
    public void open() {
        open = true;
    }

    /**
     * From now on the first thread that passes a point and is meant waits there. What was asked of the point before is
     * released.
     *
     * @param point such as "leader-read"
     * @param replica the id of the replica that the thread serves; below 0 for any
     * @param partition "topic-partition" that it is about; empty for any
     * @param maxMs 1 to {@link #MAX_MS}
     */
    public void hold(String point, int replica, String partition, long maxMs) {
        if (!open) {
            throw new IllegalStateException("no points are woven in, expected the agent's option holds=on");
        }
        if (maxMs < 1 || maxMs > MAX_MS) {
            throw new IllegalArgumentException("max_ms: " + maxMs + ", expected 1 to " + MAX_MS);
        }
        Hold before = holds.put(point, new Hold(replica, partition, maxMs));
        if (before != null) {
            before.release();
        }
    }

    /** Lets the thread at a point go on; nobody is held there any more. */
    public void release(String point) {
        Hold hold = holds.get(point);
        if (hold != null) {
            hold.release();
        }
    }

    /** Called where a thread passes a point; waits if it is to be held. */
    public void pass(String point, int replica, String partition) {
        Hold hold = holds.get(point);
        if (hold != null) {
            hold.pass(replica, partition);
        }
    }

    /** By point what became of the last hold that was asked for: waiting, held, held_ms, expired. */
    public Map<String, Object> toMap() {
        Map<String, Object> map = new TreeMap<>();
        holds.forEach((point, hold) -> map.put(point, hold.toMap()));
        return map;
    }
}
