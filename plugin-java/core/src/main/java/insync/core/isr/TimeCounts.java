package insync.core.isr;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts how often something took how long, in buckets that are at most an eighth wide. Its memory is fixed, 16 KiB. Any thread adds
 * a time with one atomic increment, without a lock or an allocation; the threads are spread over stripes.
 */
public final class TimeCounts {
    /** Times of up to 2^34 ms, which is more than half a year. */
    public static final int BUCKETS = 256;
    private static final int STRIPES = 8;
    private static final int STEPS = 8;
    private static final int STEP_BITS = 3;
    private static final long NANOS_PER_MS = 1_000_000L;

    private final AtomicLongArray counts = new AtomicLongArray(STRIPES * BUCKETS);

    /** Adds a time in nanoseconds; one that is negative counts as 0. */
    public void add(long nanos) {
        int stripe = Thread.currentThread().hashCode() & STRIPES - 1;
        counts.getAndIncrement(stripe * BUCKETS + bucket(nanos));
    }

    /**
     * Reads how many times were added to each bucket since the begin.
     *
     * @param into {@link #BUCKETS} counts
     */
    public void read(long[] into) {
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            long count = 0;
            for (int stripe = 0; stripe < STRIPES; stripe++) {
                count += counts.get(stripe * BUCKETS + bucket);
            }
            into[bucket] = count;
        }
    }

    /** Returns the longest time of a bucket, milliseconds. */
    public static long mostMs(int bucket) {
        if (bucket < STEPS) {
            return bucket;
        }
        int doublings = bucket / STEPS - 1;
        return (bucket - (long) doublings * STEPS + 1 << doublings) - 1;
    }

    /** Returns the bucket of a time; a part of a millisecond counts as a whole one. */
    private static int bucket(long nanos) {
        long ms = nanos <= 0 ? 0 : (nanos - 1) / NANOS_PER_MS + 1;
        if (ms < STEPS) {
            return (int) ms;
        }
        int doublings = Long.SIZE - 1 - STEP_BITS - Long.numberOfLeadingZeros(ms);
        return (int) Math.min(BUCKETS - 1L, (long) doublings * STEPS + (ms >>> doublings));
    }
}
