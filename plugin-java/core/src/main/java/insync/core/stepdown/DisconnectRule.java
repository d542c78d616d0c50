package insync.core.stepdown;

/**
 * Decides when to disconnect clients that wait for a blocked thread: when it is blocked for longer than T, and since
 * before a step-down. A thread that blocks later is unrelated to the step-down. Used by one thread.
 */
public final class DisconnectRule {
    /** The time until other brokers know the new leader. A client that reconnects earlier returns to the old leader. */
    public static final long GRACE_NANOS = 100_000_000L;

    private final StepDownSettings settings;
    private boolean armed;
    private long firstNanos;
    private long lastNanos;

    public DisconnectRule(StepDownSettings settings) {
        this.settings = settings;
    }

    /** Notes that this broker's metadata shows the new leader of a partition that it gave away. */
    public void given(long now) {
        firstNanos = armed ? firstNanos : now;
        lastNanos = now;
        armed = true;
    }

    /** Notes that no thread is blocked any longer. */
    public void ended() {
        armed = false;
    }

    /** Returns whether a partition was given away and a thread may still be blocked. */
    public boolean isArmed() {
        return armed;
    }

    /** Returns whether it is time to check for waiting clients. */
    public boolean isDue(long now) {
        return armed && now - firstNanos >= GRACE_NANOS;
    }

    /** Returns whether a block since this time was the reason for a step-down. */
    public boolean hangs(long since, long now) {
        return armed && since - lastNanos <= 0 && isTooLong(since, now);
    }

    /**
     * Returns whether an append to a partition that was given away hangs since this time. One that is refused takes less than the
     * grace.
     */
    public boolean hangsAfterwards(long since, long now) {
        return armed && now - since >= GRACE_NANOS;
    }

    /** Returns whether a wait is longer than T. */
    public boolean isTooLong(long since, long now) {
        return now - since > settings.processTimeMaxNanos();
    }
}
