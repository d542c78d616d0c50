package insync.core.stepdown;

/**
 * Measures how long this process ran, from how late the watch's own ticks come. After a freeze of the whole process,
 * pending fetches look old although the threads that answer them run again. Without this clock a broker would give all
 * its partitions away after a freeze.
 *
 * <p>Only lateness beyond a grace is left out, so that a process that is starved, by its CPU quota or by other
 * processes, counts as slow. When the time is not known, the age is rounded down.
 */
final class RunningTime {
    /** A process whose tick is late by less counts as running, whatever T is; see LeaderClock. */
    private static final long LEAST_GRACE_NANOS = 60_000_000L;
    private static final int TICKS = 128;

    private final StepDownSettings settings;
    private final long[] real = new long[TICKS];
    private final long[] ran = new long[TICKS];
    private int count;
    private int newest = -1;

    RunningTime(StepDownSettings settings) {
        this.settings = settings;
    }

    /**
     * Notes a tick.
     *
     * @param now by the broker's monotonic clock, nanoseconds
     * @return how long the process ran since the previous tick, nanoseconds
     */
    long tick(long now) {
        long passed = newest < 0 ? 0 : Math.min(now - real[newest], mostPerTick());
        long total = newest < 0 ? 0 : ran[newest] + passed;
        if (!isCrowded(now)) {
            newest = (newest + 1) % TICKS;
            count = Math.min(TICKS, count + 1);
        }
        real[newest] = now;
        ran[newest] = total;
        return passed;
    }

    /** Returns whether the newest tick makes room for this one, so that frequent ticks do not push out those of times that count. */
    private boolean isCrowded(long now) {
        return count > 1 && now - real[(newest + TICKS - 1) % TICKS] < settings.tickMs() * 500_000L;
    }

    private long mostPerTick() {
        return settings.tickMs() * 1_000_000L + Math.max(LEAST_GRACE_NANOS, settings.processTimeMaxNanos() / 4);
    }

    /**
     * Returns how long the process ran from a time of that clock to the last tick. Of times long past only the known part
     * counts.
     */
    long since(long nanos) {
        if (count == 0) {
            return 0;
        }
        int place = before(nanos);
        long after = nanos - real[place];
        if (after < 0) {
            return ran[newest] - ran[place];
        }
        return place == newest ? 0 : ran[newest] - Math.min(ran[place] + after, ran[(place + 1) % TICKS]);
    }

    /** Returns the place of the last known tick that is not after a time; of the oldest one if all are. */
    private int before(long nanos) {
        int place = newest;
        for (int seen = 1; seen < count && nanos - real[place] < 0; seen++) {
            place = (place + TICKS - 1) % TICKS;
        }
        return place;
    }
}
