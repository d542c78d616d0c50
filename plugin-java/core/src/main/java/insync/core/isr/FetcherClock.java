package insync.core.isr;

/**
 * The time that is charged to the followers' partitions of one fetch session: it stands still while a fetch of
 * the session is in the leader's hands, and while its network thread or the whole process does.
 *
 * <p>It counts beside that the pauses of the process while it ran, for they are forgiven only up to a bound.
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
            runningSince = thread.lived(now);
            pausedSince = thread.paused(now);
            running = true;
        }
    }

    /** Charged time at a time of the machine, in nanoseconds, for durations only. */
    synchronized long nanos(long now) {
        return running ? charged + thread.lived(now) - runningSince : charged;
    }

    /** Pauses of the process while it ran, at a time of the machine, in nanoseconds, for durations only. */
    synchronized long pausedNanos(long now) {
        return running ? paused + thread.paused(now) - pausedSince : paused;
    }
}
