package insync.core;

/** A clock whose time the test sets. */
public final class ManualClock implements Clock {
    public volatile long ms = 1_000_000;

    @Override
    public long millis() {
        return ms;
    }

    @Override
    public long nanos() {
        return ms * 1_000_000L;
    }
}
