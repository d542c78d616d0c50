package insync.core.stepdown;

import insync.core.Millis;
import insync.core.isr.TimeCounts;
import java.util.Arrays;

/**
 * Learns how long one kind of processing may take, T, from how long it took in this broker. The window is divided into slots. At the
 * end of a slot it takes the {@value #PERCENTILE}th percentile of the slot's times, without the longest one. T is {@value #TIMES}
 * times the median of the last {@value #SLOTS} slots, within bounds. So what happens in fewer than half of the slots changes nothing:
 * not one slow fetch, nor a pause of the process, nor a stall, however long it lasts, because its times come when it ends.
 *
 * <p>Threads that process add times to {@link #times}. Only the watch's thread calls {@link #tick}; any thread may ask for T.
 */
public final class LearntLimit {
    /** T in times of the percentile. */
    static final int TIMES = 3;
    /** How many slots the window has. */
    static final int SLOTS = 15;
    /** With fewer slots T is its upper bound. */
    static final int LEAST_SLOTS = SLOTS / 2 + 1;
    /** A slot with fewer times lasts longer. */
    static final int LEAST_TIMES = 20;
    /** The percentile that is taken of each slot. */
    public static final double PERCENTILE = 99.9;
    /** How many times T may rise by one slot's share: T at most doubles until half of the slots are new. */
    private static final int RISE = 2;
    private static final long UNKNOWN = -1;

    private final TimeCounts times = new TimeCounts();
    private final long[] before = new long[TimeCounts.BUCKETS];
    private final long[] now = new long[TimeCounts.BUCKETS];
    private final long[] percentiles = new long[SLOTS];
    private final long[] counts = new long[SLOTS];
    private boolean begun;
    private long slotNanos;
    private long slots;
    private volatile long medianMs = UNKNOWN;
    private volatile long samples;

    /** Returns where to add how long the processing took, when it ends. */
    public TimeCounts times() {
        return times;
    }

    /**
     * Ends the slot if it is time.
     *
     * @param nowNanos by the broker's monotonic clock
     * @param windowNanos how long all slots last
     * @param limitMs T, as it is in force until now
     */
    void tick(long nowNanos, long windowNanos, long limitMs) {
        if (!begun) {
            begun = true;
            slotNanos = nowNanos;
        }
        if (nowNanos - slotNanos < windowNanos / SLOTS) {
            return;
        }
        times.read(now);
        long count = 0;
        for (int bucket = 0; bucket < now.length; bucket++) {
            count += now[bucket] - before[bucket];
        }
        if (count >= LEAST_TIMES) {
            slotNanos = nowNanos;
            end(count, limitMs);
        }
    }

    private void end(long count, long limitMs) {
        int slot = (int) (slots++ % SLOTS);
        percentiles[slot] = Math.min(percentile(count), Math.max(1, RISE * Math.min(limitMs, Millis.MOST) / TIMES));
        counts[slot] = count;
        System.arraycopy(now, 0, before, 0, now.length);
        int known = (int) Math.min(slots, SLOTS);
        samples = Arrays.stream(counts).sum();
        if (known >= LEAST_SLOTS) {
            long[] sorted = Arrays.copyOf(percentiles, known);
            Arrays.sort(sorted);
            medianMs = sorted[known / 2];
        }
    }

    private long percentile(long count) {
        long longer = Math.max(1, (long) (count * (100 - PERCENTILE) / 100));
        int bucket = now.length;
        for (long seen = 0; seen <= longer; ) {
            bucket--;
            seen += now[bucket] - before[bucket];
        }
        return TimeCounts.mostMs(bucket);
    }

    /** Returns T in milliseconds; the upper bound until enough is known. */
    long limitMs(long minMs, long maxMs) {
        long median = medianMs;
        return median == UNKNOWN ? maxMs : Math.min(maxMs, Math.max(minMs, TIMES * median));
    }

    /** Returns how much of a time can be added to T without exceeding its upper bound, nanoseconds. */
    long upTo(long nanos, long minMs, long maxMs) {
        return Math.min(nanos, Millis.toNanos(maxMs) - Millis.toNanos(limitMs(minMs, maxMs)));
    }

    /** Returns what T was learnt from, and how much longer it is because of pauses. */
    LimitBasis basis(String site, long pausedMs, long minMs, long maxMs) {
        return new LimitBasis(site, limitMs(minMs, maxMs), pausedMs, samples, medianMs, minMs, maxMs);
    }
}
