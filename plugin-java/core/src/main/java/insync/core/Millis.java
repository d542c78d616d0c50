package insync.core;

/** Converts the times of configs, which may be of any length, to nanoseconds. */
public final class Millis {
    /**
     * The longest time in milliseconds, more than two years; a longer one counts as this. In nanoseconds, 64 times it is still
     * no negative time.
     */
    public static final long MOST = Long.MAX_VALUE / 1_000_000L / 128;

    private Millis() { }

    public static long toNanos(long ms) {
        return Math.min(ms, MOST) * 1_000_000L;
    }
}
