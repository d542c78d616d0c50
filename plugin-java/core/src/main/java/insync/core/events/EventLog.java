package insync.core.events;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Receives the broker's events. This one discards them; insync-lab.jar has one that writes them. */
public class EventLog {
    private final EventCounts published = new EventCounts();

    /** Returns alternating names and values as an ordered map. */
    public static Map<String, Object> fields(Object... namesAndValues) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            map.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return map;
    }

    /** Returns an enum value's name in events, metrics and log lines. */
    public static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /** Returns whether events go anywhere; if not, a caller need not collect their fields. */
    public boolean isOn() {
        return false;
    }

    /**
     * Takes an event of the present time. Never blocks, because callers may have Kafka's locks.
     *
     * @param type kind of event, snake_case
     * @param fields the event's fields; the caller must not change the map afterwards
     */
    public void emit(String type, Map<String, Object> fields) { }

    /** Returns how many events are missing from the events file. */
    public long dropped() {
        return 0;
    }

    /** Returns the counts of the events topic; all zero without one. */
    public final EventCounts published() {
        return published;
    }

    /** Counts the events that were written to one destination, and those that were dropped. */
    public static final class EventCounts {
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
}
