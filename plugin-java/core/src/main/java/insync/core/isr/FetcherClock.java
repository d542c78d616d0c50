package insync.core.isr;

/**
 * Measures the time that is charged to a follower for the partitions of one fetch session. It stops while the leader
 * processes a fetch of the session, and while the network thread or the whole process is paused.
 *
 * <p>It counts separately the pauses of the process while it ran, because they are forgiven only up to a bound.
 */
final class FetcherClock {
    private final NetworkThread thread;
    private long charged;
    private long paused;
    private long runningSince;
    private long pausedSince;
    private boolean running;

    /** A clock that stands at 0. */
    FetcherClock(NetworkThread thread) {
        this.thread = thread;
    }

    /** @param now time of the machine */
    synchronized void stop(long now) {
        if (running) {
            charged = nanos(now);
            paused = pausedNanos(now);
            running = false;
        }
    }

    /** @param now time of the machine */
    synchronized void run(long now) {
        if (!running) {
            runningSince = thread.runNanos(now);
            pausedSince = thread.paused(now);
            running = true;
        }
    }

    /** Returns charged time at a time of the machine, in nanoseconds, for durations only. */
    synchronized long nanos(long now) {
        return running ? charged + thread.runNanos(now) - runningSince : charged;
    }

    /** Returns pauses of the process while it ran, at a time of the machine, in nanoseconds, for durations only. */
    synchronized long pausedNanos(long now) {
        return running ? paused + thread.paused(now) - pausedSince : paused;
    }
}
