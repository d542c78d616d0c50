package insync.core.events;

import java.util.concurrent.atomic.LongAdder;

/** Counts the events that were written to one destination, and those that were dropped. */
public final class EventCounts {
    private final LongAdder written = new LongAdder();
    private final LongAdder dropped = new LongAdder();

    public void wasWritten() {
        written.increment();
    }

    public void wasDropped() {
        dropped.increment();
    }

    public long written() {
        return written.sum();
    }

    public long dropped() {
        return dropped.sum();
    }
}
