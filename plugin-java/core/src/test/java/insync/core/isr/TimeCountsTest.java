package insync.core.isr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Every time is counted once, in a bucket that does not understate it, whatever it is. */
class TimeCountsTest {
    private static final long MS = 1_000_000L;
    private static final long MOST_MS = (1L << 34) - 1;

    private final TimeCounts times = new TimeCounts();

    /** Returns the longest time of the bucket that a time was added to. */
    private static long bucketOf(long nanos) {
        TimeCounts one = new TimeCounts();
        one.add(nanos);
        long[] counts = new long[TimeCounts.BUCKETS];
        one.read(counts);
        long found = -1;
        for (int bucket = 0; bucket < counts.length; bucket++) {
            if (counts[bucket] > 0) {
                assertEquals(1, counts[bucket]);
                assertEquals(-1, found, "one bucket");
                found = TimeCounts.mostMs(bucket);
            }
        }
        return found;
    }

    @Test
    void aTimeIsNeverUnderstatedAndHardlyOverstated() {
        Random random = new Random(7);
        for (int i = 0; i < 5_000; i++) {
            long ms = random.nextLong() >>> (30 + random.nextInt(34));
            long bucket = bucketOf(ms * MS);
            assertTrue(bucket >= ms && bucket <= ms + ms / 8, ms + " ms is in the bucket of " + bucket + " ms");
        }
    }

    @Test
    void timesThatAreNoTimesHaveABucketToo() {
        assertEquals(0, bucketOf(0));
        assertEquals(0, bucketOf(-1));
        assertEquals(0, bucketOf(Long.MIN_VALUE));
        assertEquals(1, bucketOf(1));
        assertEquals(1, bucketOf(MS));
        assertEquals(2, bucketOf(MS + 1));
        assertTrue(bucketOf(Long.MAX_VALUE) <= MOST_MS);
    }

    @Test
    void theBucketsAreInOrder() {
        for (int bucket = 1; bucket < TimeCounts.BUCKETS; bucket++) {
            assertTrue(TimeCounts.mostMs(bucket) > TimeCounts.mostMs(bucket - 1), "bucket " + bucket);
        }
        assertEquals(MOST_MS, TimeCounts.mostMs(TimeCounts.BUCKETS - 1));
    }

    @Test
    void noTimeOfAnyThreadIsLost() throws Exception {
        int each = 20_000;
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                for (int n = 0; n < each; n++) {
                    times.add(3 * MS);
                }
            }, "adds " + i);
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        long[] counts = new long[TimeCounts.BUCKETS];
        times.read(counts);
        assertEquals((long) each * threads.length, counts[3]);
    }
}
