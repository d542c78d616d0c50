package insync.core;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** What the plugin has done in this broker since its start. The same figures feed JMX, events and the bridge. */
public final class Stats {
    private final LongAdder marked = new LongAdder();
    private final LongAdder released = new LongAdder();
    private final LongAdder cleared = new LongAdder();
    private final LongAdder holdsGranted = new LongAdder();
    private final AtomicInteger heldNow = new AtomicInteger();
    private final AtomicLong longestNanos = new AtomicLong();

    void marked() {
        marked.increment();
    }

    void released(long heldNanos) {
        released.increment();
        // A plain read nearly always settles it, so releases do not contend on the maximum.
        if (heldNanos > longestNanos.get()) {
            longestNanos.accumulateAndGet(heldNanos, Math::max);
        }
    }

    void cleared() {
        cleared.increment();
    }

    void held(boolean now) {
        heldNow.addAndGet(now ? 1 : -1);
        if (now) {
            holdsGranted.increment();
        }
    }

    /** Fetches of follower partitions marked so far. */
    public long marksTotal() {
        return marked.sum();
    }

    /** Marks that went with their fetch. */
    public long releasedTotal() {
        return released.sum();
    }

    /** Marks that an election cleared before their fetch was complete. */
    public long clearedTotal() {
        return cleared.sum();
    }

    /** Marks standing now. */
    public long pendingNow() {
        // What has gone is read first: a mark made in between may be counted too much, never too little.
        long gone = released.sum() + cleared.sum();
        return Math.max(0, marked.sum() - gone);
    }

    /** Followers that are in sync at this moment only because a mark stands. */
    public int heldNow() {
        return heldNow.get();
    }

    /** Times a follower came to be held in sync by a mark. */
    public long holdsGranted() {
        return holdsGranted.sum();
    }

    /** The longest that any mark stood until its fetch was complete, in milliseconds. */
    public long longestHoldMs() {
        return longestNanos.get() / 1_000_000L;
    }

    /** All figures by their names in events and over the bridge. */
    public Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("marks_total", marksTotal());
        map.put("released_total", releasedTotal());
        map.put("cleared_total", clearedTotal());
        map.put("pending_now", pendingNow());
        map.put("held_now", heldNow());
        map.put("holds_granted", holdsGranted());
        map.put("longest_hold_ms", longestHoldMs());
        return map;
    }
}
