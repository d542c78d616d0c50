package insync.bridge.pausepoints;

import insync.core.events.EventLog;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Pauses the first matching thread at one point until it is released or its time is over. */
final class Pause {
    private final int replica;
    private final String partition;
    private final long maxMs;
    private final AtomicBoolean taken = new AtomicBoolean();
    private final CountDownLatch released = new CountDownLatch(1);
    private volatile boolean waiting;
    private volatile boolean expired;
    private volatile long pausedNanos;

    /**
     * @param replica the id of the replica that the thread serves; any if below 0
     * @param partition "topic-partition" that the thread works on; any if empty
     * @param maxMs the longest time that it waits, milliseconds
     */
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
