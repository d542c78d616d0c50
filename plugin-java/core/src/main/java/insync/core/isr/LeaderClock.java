package insync.core.isr;

import insync.core.Clock;
import java.util.function.Consumer;

/**
 * Measures the time in which this leader's process ran: it stops while the process is frozen or starved (SIGSTOP, a
 * CPU quota, a long collection), which is not charged to followers.
 *
 * <p>A thread ticks every {@link #PERIOD_MS}. When a tick is late by more than {@link #GRACE_NANOS}, the time beyond that
 * grace is a pause. It counts as a pause even before the late tick comes, so a thread that wakes from a freeze before
 * the ticking thread does not read a time that includes the freeze.
 */
public final class LeaderClock {
    /** The time between two ticks, milliseconds. */
    public static final long PERIOD_MS = 20;
    /** How long after a tick the process still counts as running, nanoseconds. */
    public static final long GRACE_NANOS = 60_000_000L;

    private final Clock clock;
    private volatile Thread ticks;
    private volatile Tick lastTick;

    public LeaderClock(Clock clock) {
        this.clock = clock;
        this.lastTick = new Tick(0, clock.nanos() + GRACE_NANOS);
    }

    /**
     * Starts the ticks.
     *
     * @param failed gets what a tick throws; the ticks go on
     */
    public void start(Consumer<Throwable> failed) {
        Thread started = new Thread(() -> run(failed), "insync-leader-clock");
        started.setDaemon(true);
        ticks = started;
        started.start();
    }

    /** Ends the ticks; the clock then shows that the process is paused. */
    public void stop() {
        ticks.interrupt();
    }

    /** Called every {@link #PERIOD_MS} by one thread. */
    public synchronized void tick() {
        long now = clock.nanos();
        long ran = lastTick.runNanos(now);
        lastTick = new Tick(now - ran, ran + GRACE_NANOS);
    }

    /** Returns the machine's time, in nanoseconds. */
    long now() {
        return clock.nanos();
    }

    /** Returns how long the process ran up to a time of the machine, in nanoseconds, for durations only. */
    long runNanos(long now) {
        return lastTick.runNanos(now);
    }

    /** Returns how long the process was paused up to now, in nanoseconds. */
    public long pausedNanos() {
        long now = clock.nanos();
        return now - runNanos(now);
    }

    private void run(Consumer<Throwable> failed) {
        try {
            while (true) {
                Thread.sleep(PERIOD_MS);
                try {
                    tick();
                } catch (RuntimeException | Error missed) {
                    failed.accept(missed);
                }
            }
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
        }
    }

    /** The figures of one tick, in one object, so that readers see both figures of the same tick. */
    private static final class Tick {
        private final long paused;
        private final long ranAtMost;

        Tick(long paused, long ranAtMost) {
            this.paused = paused;
            this.ranAtMost = ranAtMost;
        }

        long runNanos(long now) {
            return Math.min(now - paused, ranAtMost);
        }
    }
}
