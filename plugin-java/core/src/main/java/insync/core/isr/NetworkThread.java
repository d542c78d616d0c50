package insync.core.isr;

/**
 * Measures the time of one of the leader's network threads: the leader's time without long calls
 * that only the leader can delay, such as a file-to-socket transfer from a slow disk.
 *
 * <p>During such a call the requests of all its connections wait in the sockets, where the broker cannot see them. So
 * its followers are not charged. Only the part of a call beyond {@link #GRACE_NANOS} counts as a pause, because a busy
 * thread without stalls delays no follower for long.
 */
public final class NetworkThread {
    /** The longest call that does not count as a pause, nanoseconds. */
    public static final long GRACE_NANOS = 60_000_000L;
    /** {@link #calledAt} returns this when there is no call. */
    static final long NONE = Long.MIN_VALUE;

    final LeaderClock leader;
    private long stalledNanos;
    private long callSince = NONE;
    private long calledAt = NONE;
    private Object callOn;

    public NetworkThread(LeaderClock leader) {
        this.leader = leader;
    }

    /**
     * Notes that this thread enters a call that only the leader can delay.
     *
     * @param on the object that it works on, or null; used only for comparison
     */
    public synchronized void enterCall(Object on) {
        calledAt = leader.now();
        callSince = leader.runNanos(calledAt);
        callOn = on;
    }

    public synchronized void leaveCall() {
        if (callSince != NONE) {
            stalledNanos += excess(leader.runNanos(leader.now()));
            callSince = NONE;
            calledAt = NONE;
            callOn = null;
        }
    }

    /** Returns when the present call began by the machine's clock, in nanoseconds, or {@link #NONE}. */
    synchronized long calledAt() {
        return calledAt;
    }

    /**
     * Returns how long this thread has been in such a call, without pauses of the process, in nanoseconds; 0 if it is in
     * none.
     */
    public synchronized long inCallNanos() {
        return callSince == NONE ? 0 : leader.runNanos(leader.now()) - callSince;
    }

    /** Returns the object on which the present call works, or null. */
    public synchronized Object callOn() {
        return callOn;
    }

    /** Returns how long this thread ran up to a time of the machine, in nanoseconds, for durations only. */
    synchronized long runNanos(long now) {
        long ran = leader.runNanos(now);
        return ran - stalledNanos - excess(ran);
    }

    private long excess(long ran) {
        return callSince == NONE ? 0 : Math.max(0, ran - callSince - GRACE_NANOS);
    }
}
