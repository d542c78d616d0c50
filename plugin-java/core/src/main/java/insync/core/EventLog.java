package insync.core;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.LongAdder;

/**
 * The broker's side of a run's events: JSON lines, each with schema version, type and time.
 *
 * <p>{@link #emit} never blocks and never touches a file: callers may hold Kafka's locks, and the disk may
 * be the very thing that stalls. A thread of its own writes each line as soon as it comes and flushes it,
 * so that a kill loses at most the line being written. A full queue drops the event and counts it.
 */
public final class EventLog {
    /** Version of the lines' schema, in each line as "v". */
    public static final int SCHEMA = 1;
    private static final int CAPACITY = 10_000;

    private final BlockingQueue<Map<String, Object>> queue = new ArrayBlockingQueue<>(CAPACITY);
    private final LongAdder dropped = new LongAdder();
    private final boolean open;

    private EventLog(Writer file) {
        this.open = file != null;
        if (open) {
            Thread writer = new Thread(() -> write(file), "insync-events");
            writer.setDaemon(true);
            writer.start();
        }
    }

    /** A log that takes events and keeps none. */
    public static EventLog none() {
        return new EventLog(null);
    }

    /**
     * Appends to a file, made if need be.
     *
     * @throws IOException if it cannot be opened for appending
     */
    public static EventLog to(Path file) throws IOException {
        return new EventLog(Files.newBufferedWriter(file, StandardCharsets.UTF_8,
            StandardOpenOption.CREATE, StandardOpenOption.APPEND));
    }

    /** Alternating names and values as an ordered map. */
    public static Map<String, Object> fields(Object... namesAndValues) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            map.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return map;
    }

    /**
     * Hands an event over to be written; the time is now.
     *
     * @param type kind of event, snake_case
     * @param fields what it says; not to be changed afterwards
     */
    public void emit(String type, Map<String, Object> fields) {
        if (!open) {
            return;
        }
        Map<String, Object> line = fields("v", SCHEMA, "t_ms", System.currentTimeMillis(), "type", type);
        line.putAll(fields);
        if (!queue.offer(line)) {
            dropped.increment();
        }
    }

    /** Events that are missing from the file: the queue was full, or the file could not be written. */
    public long dropped() {
        return dropped.sum();
    }

    private void write(Writer file) {
        // Made here, beside the broker's start rather than in it.
        Gson gson = new GsonBuilder().disableHtmlEscaping().serializeNulls().create();
        while (true) {
            try {
                file.write(gson.toJson(queue.take()) + "\n");
                if (queue.isEmpty()) {
                    file.flush();
                }
            } catch (IOException unwritable) {
                dropped.increment();
            } catch (InterruptedException ending) {
                return;
            }
        }
    }
}
