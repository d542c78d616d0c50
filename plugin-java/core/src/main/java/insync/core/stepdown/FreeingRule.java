package insync.core.stepdown;

/**
 * When clients that wait for something that hangs are to be sent on: it hangs for longer than T, and hung already when a
 * partition was given away. Whatever began to hang later is no business of a step-down. Used by one thread.
 */
public final class FreeingRule {
    private final long limitNanos;
    private boolean armed;
    private long givenNanos;

    public FreeingRule(StepDownSettings settings) {
        limitNanos = settings.processTimeMaxNanos();
    }

    /** Another broker leads a partition that this one gave away, and clients can know. */
    public void given(long now) {
        armed = true;
        givenNanos = now;
    }

    /** Nothing hangs any longer. */
    public void ended() {
        armed = false;
    }

    /** Whether a partition was given away, and something may hang still. */
    public boolean isArmed() {
        return armed;
    }

    /** Whether what has hung since then is what a partition was given away for. */
    public boolean hangs(long since, long now) {
        return armed && since - givenNanos <= 0 && isTooLong(since, now);
    }

    /** Whether a wait is longer than T. */
    public boolean isTooLong(long since, long now) {
        return now - since > limitNanos;
    }
}
