package insync.core;

/** A clock whose time is set by the test. */
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
