package insync.core.events;

import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Writes the broker's events as JSON lines, each with schema version, type and time.
 *
 * <p>{@link #emit} never blocks and never touches a file, because callers may have Kafka's locks and the disk may stall.
 * A separate thread writes and flushes each line at once, so that a kill loses at most one line. A full queue
 * drops the event and counts it. A log may have a second destination, see {@link #publish}, with a queue and a thread
 * of its own.
 */
public final class EventLog {
    /** Version of the schema; each line has it as "v". */
    public static final int SCHEMA = 1;

    private final EventCounts filed = new EventCounts();
    private final EventCounts published = new EventCounts();
    private final EventQueue file;
    private volatile EventQueue elsewhere;

    private EventLog(Writer file) {
        this.file = file == null ? null : new EventQueue("insync-events", new FileSink(file), filed);
    }

    /** Returns a log that discards its events. */
    public static EventLog none() {
        return new EventLog(null);
    }

    /**
     * Opens a log that appends to a file, which is created if it does not exist.
     *
     * @throws IOException if it cannot be opened for appending
     */
    public static EventLog to(Path file) throws IOException {
        return new EventLog(Files.newBufferedWriter(file, StandardCharsets.UTF_8,
            StandardOpenOption.CREATE, StandardOpenOption.APPEND));
    }

    /** Returns alternating names and values as an ordered map. */
    public static Map<String, Object> fields(Object... namesAndValues) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            map.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return map;
    }

    /**
     * Also passes events to a second destination from now on. A log has at most one: that of the first broker in a JVM.
     *
     * @param sink counts in {@link #published()} the events that it wrote and those that it lost
     */
    public synchronized void publish(EventSink sink) {
        if (elsewhere == null) {
            elsewhere = new EventQueue("insync-events-publish", sink, published);
        }
    }

    /** Returns whether events go anywhere; if not, a caller need not collect their fields. */
    public boolean isOn() {
        return file != null || elsewhere != null;
    }

    /**
     * Queues an event with the present time.
     *
     * @param type kind of event, snake_case
     * @param fields the event's fields; the caller must not change the map afterwards
     */
    public void emit(String type, Map<String, Object> fields) {
        EventQueue second = elsewhere;
        if (file == null && second == null) {
            return;
        }
        Map<String, Object> line = fields("v", SCHEMA, "t_ms", System.currentTimeMillis(), "type", type);
        line.putAll(fields);
        if (file != null) {
            file.offer(line);
        }
        if (second != null) {
            second.offer(line);
        }
    }

    /** Returns how many events the file lacks: the queue was full, or the file could not be written. */
    public long dropped() {
        return filed.dropped();
    }

    /** Returns the counts of the second destination; all zero without one. */
    public EventCounts published() {
        return published;
    }

    private final class FileSink implements EventSink {
        private final Writer lines;

        FileSink(Writer lines) {
            this.lines = lines;
        }

        @Override
        public void write(String line) throws IOException {
            lines.write(line + "\n");
            filed.wasWritten();
        }

        @Override
        public void flush() throws IOException {
            lines.flush();
        }
    }
}
