package insync.lab.events;

import insync.core.events.EventLog;
import insync.core.events.EventLog.EventCounts;
import insync.lab.events.EventQueue.EventSink;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;

/**
 * Writes the broker's events as JSON lines, each with schema version, type and time.
 *
 * <p>{@link #emit} never blocks and never touches a file, because callers may have Kafka's locks and the disk may stall.
 * A separate thread writes each line at once, so that a kill loses at most one line. A full queue
 * drops the event and counts it. A log may have a second destination, see {@link #publish}, with a queue and a thread
 * of its own.
 */
public final class EventFileLog extends EventLog {
    /** Version of the schema; each line has it as "v". */
    public static final int SCHEMA = 1;

    private final EventCounts filed = new EventCounts();
    private final EventQueue file;
    private volatile EventQueue elsewhere;

    EventFileLog(EventFile file) {
        this.file = file == null ? null : new EventQueue("insync-events", new FileSink(file), filed);
    }

    /** Returns a log without a file; it discards its events unless they are published. */
    public static EventFileLog withoutFile() {
        return new EventFileLog(null);
    }

    /**
     * Opens a log that appends to a file, which is created if it does not exist. When it gets too large, it becomes FILE.1 and
     * FILE.1 becomes FILE.2.
     *
     * @param maxBytes the largest size of a file
     * @param files how many files there are at most, with the one that is written; the oldest one is deleted
     * @throws IOException if it cannot be opened for appending, or exists and is not a regular file
     */
    public static EventFileLog to(Path file, long maxBytes, int files) throws IOException {
        return new EventFileLog(new RotatingFile(file, maxBytes, files));
    }

    /**
     * Also passes events to a second destination from now on. A log has at most one: that of the first broker in a JVM.
     *
     * @param sink counts in {@link #published()} the events that it wrote and those that it lost
     */
    public synchronized void publish(EventSink sink) {
        if (elsewhere == null) {
            elsewhere = new EventQueue("insync-events-publish", sink, published());
        }
    }

    @Override
    public boolean isOn() {
        return file != null || elsewhere != null;
    }

    @Override
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

    /** Counts those for which the queue was full, and those that could not be written. */
    @Override
    public long dropped() {
        return filed.dropped();
    }

    /** Appends lines. A line of which a full disk took only a part is ended, so that the next one stays readable. */
    private final class FileSink implements EventSink {
        private final EventFile lines;
        private boolean isTorn;

        FileSink(EventFile lines) {
            this.lines = lines;
        }

        @Override
        public void write(String line) throws IOException {
            ByteBuffer bytes = StandardCharsets.UTF_8.encode((isTorn ? "\n" : "") + line + "\n");
            lines.lineBegins(bytes.remaining());
            try {
                while (bytes.hasRemaining()) {
                    lines.write(bytes);
                }
            } finally {
                isTorn = bytes.hasRemaining() && (isTorn || bytes.position() > 0);
            }
            filed.wasWritten();
        }
    }

    interface EventFile extends WritableByteChannel {

        /**
         * Notes that the next write begins a line.
         *
         * @param bytes the length of the line
         */
        void lineBegins(int bytes) throws IOException;
    }
}
