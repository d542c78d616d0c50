package insync.core.isr;

/**
 * Measures the time that is charged to a follower for the partitions of one fetch session. It stops while the leader
 * processes a fetch of the session, and while the network thread or the whole process is paused.
 */
final class FetcherClock {
    private final NetworkThread thread;
    private long charged;
    private long runningSince;
    private boolean running;

    /** A clock that stands at 0. */
    FetcherClock(NetworkThread thread) {
        this.thread = thread;
    }

    /** @param now time of the machine */
    synchronized void stop(long now) {
        if (running) {
            charged = nanos(now);
            running = false;
        }
    }

    /** @param now time of the machine */
    synchronized void run(long now) {
        if (!running) {
            runningSince = thread.runNanos(now);
            running = true;
        }
    }

    /** Returns charged time at a time of the machine, in nanoseconds, for durations only. */
    synchronized long nanos(long now) {
        return running ? charged + thread.runNanos(now) - runningSince : charged;
    }
}
