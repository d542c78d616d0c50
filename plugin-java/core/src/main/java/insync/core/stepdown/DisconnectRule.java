package insync.core.stepdown;

/**
 * Decides when to disconnect clients that wait for a thread that is blocked: it is blocked for longer than T, and since
 * before a partition was given away. What blocks later is unrelated to the step-down. Used by one thread.
 */
public final class DisconnectRule {
    /** The time until other brokers know the new leader, too: a client that asks earlier comes back to the old one. */
    public static final long GRACE_NANOS = 100_000_000L;

    private final long limitNanos;
    private boolean armed;
    private long firstNanos;
    private long lastNanos;

    public DisconnectRule(StepDownSettings settings) {
        limitNanos = settings.processTimeMaxNanos();
    }

    /** Notes that another broker leads a partition that this one gave away, and this one's metadata says so. */
    public void given(long now) {
        firstNanos = armed ? firstNanos : now;
        lastNanos = now;
        armed = true;
    }

    /** Notes that nothing is blocked any longer. */
    public void ended() {
        armed = false;
    }

    /** Returns whether a partition was given away and something may still be blocked. */
    public boolean isArmed() {
        return armed;
    }

    /** Returns whether it is time to check for waiting clients. */
    public boolean isDue(long now) {
        return armed && now - firstNanos >= GRACE_NANOS;
    }

    /** Returns whether what is blocked since then was the reason for a step-down. */
    public boolean hangs(long since, long now) {
        return armed && since - lastNanos <= 0 && isTooLong(since, now);
    }

    /** Returns whether a wait is longer than T. */
    public boolean isTooLong(long since, long now) {
        return now - since > limitNanos;
    }
}
