package org.apache.kafka.server.replica.pending;

import org.apache.kafka.common.utils.Time;

/** Reads the broker's time. */
public record TimeClock(Time time) implements Clock {

    @Override
    public long millis() {
        return time.milliseconds();
    }

    @Override
    public long nanos() {
        return time.nanoseconds();
    }
}
