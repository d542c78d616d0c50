package insync.core.isr;

/**
 * Measures the time of one of the leader's network threads: the leader's time without what the thread spent in calls
 * that only the leader can delay, such as a file-to-socket transfer from a slow disk.
 *
 * <p>During such a call the requests of all its connections wait in the socket, where the broker cannot see them; so none
 * of its followers is charged. Only what exceeds {@link #GRACE_NANOS} in one call counts as a pause: a
 * thread that is busy, but moves, delays nobody for long.
 */
public final class NetworkThread {
    /** The longest call that does not count as a pause, nanoseconds. */
    public static final long GRACE_NANOS = 60_000_000L;
    private static final long NONE = Long.MIN_VALUE;

    private final LeaderClock leader;
    private long stalledNanos;
    private long callSince = NONE;
    private Object callOn;

    public NetworkThread(LeaderClock leader) {
        this.leader = leader;
    }

    /**
     * Notes that this thread enters a call that only the leader can delay.
     *
     * @param on what it works on, or null; compared only
     */
    public synchronized void enterCall(Object on) {
        callSince = leader.lived(leader.now());
        callOn = on;
    }

    /** Notes that this thread leaves the call. */
    public synchronized void leaveCall() {
        if (callSince != NONE) {
            stalledNanos += excess(leader.lived(leader.now()));
            callSince = NONE;
            callOn = null;
        }
    }

    /**
     * Returns how long this thread has been in such a call, pauses of the process left out; 0 if it is in none.
     * Nanoseconds.
     */
    public synchronized long inCallNanos() {
        return callSince == NONE ? 0 : leader.lived(leader.now()) - callSince;
    }

    /** Returns what the call that this thread is in works on, or null. */
    public synchronized Object callOn() {
        return callOn;
    }

    /** Time that this thread lived through, at a time of the machine, in nanoseconds, for durations only. */
    synchronized long lived(long now) {
        long lived = leader.lived(now);
        return lived - stalledNanos - excess(lived);
    }

    /** Returns pauses of the whole process, at a time of the machine, in nanoseconds, for durations only. */
    long paused(long now) {
        return leader.paused(now);
    }

    private long excess(long lived) {
        return callSince == NONE ? 0 : Math.max(0, lived - callSince - GRACE_NANOS);
    }
}
