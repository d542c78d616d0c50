package insync.core;

/**
 * The broker's clock as the rules see it: the broker's own {@code Time}, or a mock of it in tests.
 */
public interface Clock {

    /** Wall-clock time in milliseconds since the epoch, comparable with Kafka's lastCaughtUpTimeMs. */
    long millis();

    /** Monotonic time in nanoseconds, for durations only. */
    long nanos();
}
