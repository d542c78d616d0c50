package insync.core.stepdown;

import java.util.function.LongSupplier;

/**
 * Gives a broker more time for the first fetches that it serves after its start. Its JVM loads and compiles that code then, which takes
 * seconds on a host whose CPUs are busy, and makes no slow leader.
 */
final class FirstFetches {
    /** How many fetches are the first ones. */
    static final int COUNT = 20;
    /** How much longer than T one of them may be overdue, nanoseconds. */
    static final long MORE_NANOS = 5_000_000_000L;

    private final LongSupplier ended;
    private boolean over;

    /** @param ended how many fetches of followers this broker has served since its start */
    FirstFetches(LongSupplier ended) {
        this.ended = ended;
    }

    /** Returns how much longer than T a fetch may be overdue now, nanoseconds; only the watch's thread calls it. */
    long moreNanos() {
        over = over || ended.getAsLong() >= COUNT;
        return over ? 0 : MORE_NANOS;
    }
}
