package insync.core.isr;

import insync.core.Clock;

/**
 * Measures the time in which this leader's process ran: it stops while the process is frozen or starved (SIGSTOP, a
 * CPU quota, a long collection), which is not charged to followers.
 *
 * <p>A thread ticks every {@link #PERIOD_MS}. If a tick is late by more than {@link #GRACE_NANOS}, the process did not
 * run meanwhile; before the next tick comes, all time beyond that grace counts as such, too. So no thread that wakes
 * from a freeze before the ticking thread can read a time that includes the freeze.
 */
public final class LeaderClock {
    /** The time between two ticks, milliseconds. */
    public static final long PERIOD_MS = 20;
    /** How long after a tick the process is still taken to run, nanoseconds. */
    public static final long GRACE_NANOS = 60_000_000L;

    private final Clock clock;
    private volatile Beat beat;

    public LeaderClock(Clock clock) {
        this.clock = clock;
        this.beat = new Beat(0, clock.nanos() + GRACE_NANOS);
    }

    /** Starts the ticks; they end with the JVM. */
    public void start() {
        Thread ticker = new Thread(this::run, "insync-leader-clock");
        ticker.setDaemon(true);
        ticker.start();
    }

    /** Called every {@link #PERIOD_MS} by one thread. */
    public synchronized void tick() {
        long now = clock.nanos();
        long lived = beat.lived(now);
        beat = new Beat(now - lived, lived + GRACE_NANOS);
    }

    /** Returns the time of the machine, in nanoseconds. */
    long now() {
        return clock.nanos();
    }

    /** Returns lived time at a time of the machine, in nanoseconds, for durations only. */
    long lived(long now) {
        return beat.lived(now);
    }

    /** Time until a time of the machine for which the process did not live, in nanoseconds. */
    long paused(long now) {
        return now - beat.lived(now);
    }

    /** Returns the same until now. */
    public long pausedNanos() {
        return paused(clock.nanos());
    }

    private void run() {
        try {
            while (true) {
                Thread.sleep(PERIOD_MS);
                tick();
            }
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
        }
    }

    /** What one tick left behind; a single object, so that readers see both figures of the same tick. */
    private static final class Beat {
        private final long paused;
        private final long livedAtMost;

        Beat(long paused, long livedAtMost) {
            this.paused = paused;
            this.livedAtMost = livedAtMost;
        }

        long lived(long now) {
            return Math.min(now - paused, livedAtMost);
        }
    }
}
