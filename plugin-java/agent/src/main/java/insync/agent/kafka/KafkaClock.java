package insync.agent.kafka;

import insync.core.Clock;
import org.apache.kafka.common.utils.Time;

/** Gives the core the broker's Time, which Kafka's tests replace by a mock. */
public final class KafkaClock implements Clock {
    private final Time time;

    public KafkaClock(Time time) {
        this.time = time;
    }

    @Override
    public long millis() {
        return time.milliseconds();
    }

    @Override
    public long nanos() {
        return time.nanoseconds();
    }
}
