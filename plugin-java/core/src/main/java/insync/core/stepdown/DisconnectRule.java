package insync.core.stepdown;

/**
 * When clients that wait for something that hangs are to be sent on: it hangs for longer than T, and hung already when a
 * partition was given away. Whatever began to hang later is no business of a step-down. Used by one thread.
 */
public final class DisconnectRule {
    /** Until other brokers, too, can tell clients who leads: a client that asks too early comes back to the old leader. */
    public static final long GRACE_NANOS = 100_000_000L;

    private final long limitNanos;
    private boolean armed;
    private long firstNanos;
    private long lastNanos;

    public DisconnectRule(StepDownSettings settings) {
        limitNanos = settings.processTimeMaxNanos();
    }

    /** Another broker leads a partition that this one gave away, and this one's metadata says so. */
    public void given(long now) {
        firstNanos = armed ? firstNanos : now;
        lastNanos = now;
        armed = true;
    }

    /** Nothing hangs any longer. */
    public void ended() {
        armed = false;
    }

    /** Whether a partition was given away, and something may hang still. */
    public boolean isArmed() {
        return armed;
    }

    /** Whether it is time to see to clients. */
    public boolean isDue(long now) {
        return armed && now - firstNanos >= GRACE_NANOS;
    }

    /** Whether what has hung since then is what a partition was given away for. */
    public boolean hangs(long since, long now) {
        return armed && since - lastNanos <= 0 && isTooLong(since, now);
    }

    /** Whether a wait is longer than T. */
    public boolean isTooLong(long since, long now) {
        return now - since > limitNanos;
    }
}
