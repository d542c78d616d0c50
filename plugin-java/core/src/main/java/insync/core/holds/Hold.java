package insync.core.holds;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** One thread to be stopped at one point: the first that comes by and is meant. It waits until released, or its time is up. */
final class Hold {
    private final int replica;
    private final String partition;
    private final long maxMs;
    private final AtomicBoolean taken = new AtomicBoolean();
    private final CountDownLatch released = new CountDownLatch(1);
    private volatile boolean waiting;
    private volatile boolean expired;
    private volatile long heldNanos;

    /**
     * @param replica the id of the replica that the thread serves; below 0 for any
     * @param partition "topic-partition" that it is about; empty for any
     * @param maxMs how long it waits at most
     */
    Hold(int replica, String partition, long maxMs) {
        this.replica = replica;
        this.partition = partition;
        this.maxMs = maxMs;
    }

    /** Waits here if this thread is the one that is meant. */
    void pass(int servedReplica, String servedPartition) {
        boolean meant = (replica < 0 || replica == servedReplica)
            && (partition.isEmpty() || partition.equals(servedPartition));
        if (!meant || released.getCount() == 0 || !taken.compareAndSet(false, true)) {
            return;
        }
        long since = System.nanoTime();
        waiting = true;
        try {
            expired = !released.await(maxMs, TimeUnit.MILLISECONDS);
        } catch (InterruptedException ending) {
            // The broker wants its thread back; it finds the interrupt where it would have found it.
            Thread.currentThread().interrupt();
        } finally {
            heldNanos = System.nanoTime() - since;
            waiting = false;
        }
    }

    void release() {
        released.countDown();
    }

    Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("waiting", waiting);
        map.put("held", taken.get());
        map.put("held_ms", heldNanos / 1_000_000L);
        map.put("expired", expired);
        return map;
    }
}
