package insync.core.stepdown;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;

/** What T becomes from how long fetches took: it follows what lasts, and nothing that passes. Times are in milliseconds. */
class LearntLimitTest {
    private static final long MS = 1_000_000L;
    private static final long MIN = 500;
    private static final long MAX = 30_000;
    private static final long SLOT = 60_000;
    private static final int RATE = 3_000;

    private final LearntLimit learnt = new LearntLimit();
    private final Random random = new Random(31);
    private long now = 5_000_000;

    LearntLimitTest() {
        tick();
    }

    private void tick() {
        learnt.tick(now * MS, SLOT * LearntLimit.SLOTS * MS, limit());
    }

    private long limit() {
        return learnt.limitMs(MIN, MAX);
    }

    /** Lets slots pass in which a number of times is added each. */
    private void slots(int count, int rate, IntToLongFunction time) {
        for (int slot = 0; slot < count; slot++) {
            for (int i = 0; i < rate; i++) {
                learnt.times().add(time.applyAsLong(i) * MS);
            }
            now += SLOT;
            tick();
        }
    }

    private void add(int count, long time) {
        for (int i = 0; i < count; i++) {
            learnt.times().add(time * MS);
        }
    }

    /** Times around one, from half of it to all of it. */
    private IntToLongFunction around(long time) {
        return i -> time / 2 + random.nextInt((int) (time / 2) + 1);
    }

    /** T is within an eighth above the three times that are expected: the width of a bucket. */
    private void assertLimit(long expected) {
        assertTrue(limit() >= expected && limit() <= expected + expected / 8, () -> "T is " + limit() + ", expected " + expected);
    }

    @Test
    void untilHalfOfTheSlotsAreKnownTIsItsUpperBound() {
        assertEquals(MAX, limit());
        slots(LearntLimit.LEAST_SLOTS - 1, RATE, around(400));
        assertEquals(MAX, limit());
        slots(1, RATE, around(400));
        assertLimit(1_200);
    }

    /** A broker with hardly any traffic knows little, however long it runs. */
    @Test
    void slotsWithFewTimesLastUntilTheyHaveEnough() {
        slots(LearntLimit.SLOTS, 1, around(400));
        assertEquals(MAX, limit());
        slots(LearntLimit.LEAST_SLOTS * LearntLimit.LEAST_TIMES, 1, around(400));
        assertLimit(1_200);
    }

    @Test
    void tStaysWithinItsBounds() {
        slots(LearntLimit.SLOTS, RATE, i -> 1);
        assertEquals(MIN, limit());
        assertEquals(20, learnt.limitMs(20, MAX));
        slots(10 * LearntLimit.SLOTS, RATE, i -> 100_000);
        assertEquals(MAX, limit());
    }

    @Test
    void tenTimesTheRateIsNoOtherT() {
        slots(LearntLimit.SLOTS, RATE, around(400));
        long before = limit();
        slots(LearntLimit.SLOTS, 10 * RATE, around(400));
        assertEquals(before, limit());
        slots(LearntLimit.SLOTS, RATE / 10, around(400));
        assertLimit(1_200);
    }

    /** Until T has followed, twice the time is still less than T: no leader steps down because of larger batches. */
    @Test
    void largerBatchesAreLearntFromHalfOfTheWindowOn() {
        slots(LearntLimit.SLOTS, RATE, around(400));
        slots(LearntLimit.LEAST_SLOTS - 1, RATE, around(800));
        assertLimit(1_200);
        slots(1, RATE, around(800));
        assertLimit(2_400);
        slots(LearntLimit.LEAST_SLOTS, RATE, around(400));
        assertLimit(1_200);
    }

    /** Most fetches are served from the page cache. One of 200 comes from the disk, and is no reason to step down. */
    @Test
    void coldReadsAreLearntIfTheyAreNoException() {
        slots(LearntLimit.SLOTS, RATE, i -> i % 200 == 0 ? 700 : 1);
        assertLimit(2_100);
        slots(LearntLimit.SLOTS, RATE, i -> i % 5_000 == 1 ? 700 : 1);
        assertEquals(MIN, limit(), "fewer than one of a thousand do not count");
    }

    @Test
    void oneSlowFetchChangesNothing() {
        slots(LearntLimit.SLOTS, LearntLimit.LEAST_TIMES, around(400));
        long before = limit();
        for (int i = 0; i < 3 * LearntLimit.SLOTS; i++) {
            add(1, 25_000);
            slots(1, LearntLimit.LEAST_TIMES - 1, around(400));
            assertTrue(limit() <= before + before / 8, "T is " + limit());
        }
    }

    /** After a pause of the process all that was pending is late at once, on every connection. */
    @Test
    void pausesThatAreRareChangeNothing() {
        slots(LearntLimit.SLOTS, RATE, around(400));
        long before = limit();
        for (int i = 0; i < 4; i++) {
            add(500, 3_000);
            slots(3, RATE, around(400));
            assertTrue(limit() <= before + before / 8, "T is " + limit());
        }
    }

    /** The times of a stall come when it ends; while it lasts, other partitions go on or nothing ends at all. */
    @Test
    void aStallTeachesNothingHoweverLongItLasts() {
        slots(LearntLimit.SLOTS, RATE, around(400));
        long before = limit();
        slots(100, 0, i -> 0);
        add(5_000, 6_000_000);
        slots(1, RATE, around(400));
        assertTrue(limit() <= before + before / 8, "T is " + limit());
        slots(LearntLimit.SLOTS, RATE, around(400));
        assertLimit(1_200);
    }

    /** Stalls in most slots are how this broker is; even so T takes its time, and has its upper bound. */
    @Test
    void tDoublesAtMostUntilHalfOfTheSlotsAreNew() {
        slots(LearntLimit.SLOTS, RATE, around(400));
        long before = limit();
        for (int doubled = 1; doubled <= 8; doubled++) {
            slots(LearntLimit.LEAST_SLOTS, RATE, i -> i % 100 == 0 ? 25_000 : 200);
            assertTrue(limit() <= before << doubled, "T is " + limit() + " after " + doubled);
        }
        assertEquals(MAX, limit());
    }

    @Test
    void aSlowRampIsFollowedUpToTheUpperBound() {
        long time = 400;
        slots(LearntLimit.SLOTS, RATE, around(time));
        while (time < 20_000) {
            time += time / 20;
            slots(1, RATE, around(time));
            assertTrue(limit() > time || limit() == MAX, "T is " + limit() + " at " + time);
        }
        assertEquals(MAX, limit());
    }

    @Test
    void hostileTimesAreTakenAsTimes() {
        long[] values = {Long.MIN_VALUE, -1, 0, 1, Long.MAX_VALUE, Long.MAX_VALUE / MS};
        for (int slot = 0; slot < 200; slot++) {
            for (int i = 0; i < 50; i++) {
                learnt.times().add(values[random.nextInt(values.length)]);
            }
            now += random.nextInt(3 * (int) SLOT);
            tick();
            assertTrue(limit() >= MIN && limit() <= MAX, "T is " + limit());
        }
        assertEquals(Long.MAX_VALUE, new LearntLimit().limitMs(1, Long.MAX_VALUE));
    }

    /** For any times: T is within its bounds, and no less than the time that nearly all of the median slot's fetches took. */
    @Test
    void tIsThreeTimesWhatNearlyAllTook() {
        for (int round = 0; round < 100; round++) {
            LearntLimit one = new LearntLimit();
            long most = 200 + random.nextInt(9_000);
            long window = 1_000 + random.nextInt(1_000_000);
            for (int slot = 0; slot <= LearntLimit.SLOTS; slot++) {
                one.tick(now * MS, window * MS, MAX);
                now += window / LearntLimit.SLOTS + 1;
                for (int i = LearntLimit.LEAST_TIMES + random.nextInt(900); i >= 0; i--) {
                    one.times().add(most * MS);
                }
                one.times().add(random.nextLong());
            }
            long limit = one.limitMs(MIN, Long.MAX_VALUE);
            long percentile = Math.min(most, 2 * MAX / 3);
            assertTrue(limit >= 3 * percentile && limit <= Math.max(MIN, 3 * (percentile + percentile / 8)),
                "T is " + limit + " for " + most);
        }
    }

    @Test
    void theBasisSaysWhatTWasLearntFrom() {
        LimitBasis before = learnt.basis(LimitBasis.APPEND, 0, MIN, MAX);
        assertEquals("T of site append is 30000 ms, its upper bound: 0 samples are too few to learn it", before.words());
        slots(LearntLimit.SLOTS + 3, RATE, i -> 200);
        LimitBasis basis = learnt.basis(LimitBasis.FETCH, 0, MIN, MAX);
        assertEquals(LearntLimit.SLOTS * RATE, basis.samples(), "of the window only");
        assertEquals(basis.limitMs(), 3 * basis.percentileMs());
        assertNotEquals(-1, basis.percentileMs());
        assertEquals("T of site fetch is 621 ms, learnt as 3 times the 99.9th percentile, 207 ms, of 45000 samples, within 500 and "
            + "30000 ms", basis.words());
        assertTrue(learnt.basis(LimitBasis.FETCH, 90, MIN, MAX).words().endsWith(", and 90 ms more for pauses of the process"));
    }
}
