package insync.core;

/**
 * The time that is charged to the followers' partitions of one fetch session: it stands still while a fetch of
 * the session is in the leader's hands, and while its network thread or the whole process does.
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

    /** @param lived the network thread's time */
    synchronized void stop(long lived) {
        if (running) {
            charged += lived - runningSince;
            running = false;
        }
    }

    /** @param lived the network thread's time */
    synchronized void run(long lived) {
        if (!running) {
            runningSince = lived;
            running = true;
        }
    }

    /** Charged time at a time of the machine, in nanoseconds, for durations only. */
    synchronized long nanos(long now) {
        return running ? charged + thread.lived(now) - runningSince : charged;
    }
}
