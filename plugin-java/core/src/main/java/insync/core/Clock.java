package insync.core;

/**
 * Gives the rules the broker's time: from the broker's own {@code Time}, or from a mock in tests.
 */
public interface Clock {

    /** Returns wall-clock time in milliseconds since the epoch, comparable with Kafka's lastCaughtUpTimeMs. */
    long millis();

    /** Returns monotonic time in nanoseconds, for durations only. */
    long nanos();
}
