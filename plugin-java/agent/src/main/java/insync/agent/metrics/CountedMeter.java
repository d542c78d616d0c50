package insync.agent.metrics;

import com.yammer.metrics.core.Meter;
import java.util.function.LongSupplier;

/**
 * Moves a meter to the value of a counter from time to time. So a hot path only increments the counter; a meter's own mark updates
 * four atomic numbers.
 */
final class CountedMeter {
    private final Meter meter;
    private final LongSupplier count;

    CountedMeter(Meter meter, LongSupplier count) {
        this.meter = meter;
        this.count = count;
    }

    /** Marks the events since the last call; one thread at a time calls it. */
    void update() {
        long more = count.getAsLong() - meter.count();
        if (more > 0) {
            meter.mark(more);
        }
    }
}
