package insync.core.stepdown;

import insync.core.Clock;

/** A clock that stands still until it is moved. */
final class ManualClock implements Clock {
    volatile long ms = 1_000_000;

    @Override
    public long millis() {
        return ms;
    }

    @Override
    public long nanos() {
        return ms * 1_000_000L;
    }
}
