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

    synchronized void stop() {
        if (running) {
            charged = nanos();
            running = false;
        }
    }

    synchronized void run() {
        if (!running) {
            runningSince = thread.nanos();
            running = true;
        }
    }

    /** Charged time so far in nanoseconds, for durations only. */
    synchronized long nanos() {
        return running ? charged + thread.nanos() - runningSince : charged;
    }
}
