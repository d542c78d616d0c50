package insync.core;

/**
 * One of the leader's network threads, and time as it lived through it: the leader's time without what the
 * thread spent in calls that only the leader can delay, such as a file-to-socket transfer from a slow disk.
 *
 * <p>Requests of every connection of the thread wait meanwhile in the socket, where nobody can see them; so none
 * of its followers is charged. Only what exceeds {@link #GRACE_NANOS} in one call counts as a pause: a
 * thread that is busy, but moves, delays nobody for long.
 */
public final class NetworkThread {
    /** How long a single call may take and still be no pause, nanoseconds. */
    public static final long GRACE_NANOS = 60_000_000L;
    private static final long NONE = Long.MIN_VALUE;

    private final LeaderClock leader;
    private long stalledNanos;
    private long callSince = NONE;

    public NetworkThread(LeaderClock leader) {
        this.leader = leader;
    }

    /** This thread enters such a call. */
    public synchronized void enterCall() {
        callSince = leader.nanos();
    }

    /** And leaves it. */
    public synchronized void leaveCall() {
        if (callSince != NONE) {
            stalledNanos += excess(leader.nanos());
            callSince = NONE;
        }
    }

    /** Time that this thread lived through, in nanoseconds, for durations only. */
    synchronized long nanos() {
        long now = leader.nanos();
        return now - stalledNanos - excess(now);
    }

    private long excess(long now) {
        return callSince == NONE ? 0 : Math.max(0, now - callSince - GRACE_NANOS);
    }
}
