package insync.lab.events;

import java.io.IOException;
import java.util.Map;

/** Writes an event log's lines to a destination. {@link #wants} must return at once; the other methods may wait. */
public interface EventSink {

    /** Returns whether this sink takes an event. Must return at once. */
    default boolean wants(Map<String, Object> event) {
        return true;
    }

    /**
     * Writes one line; called by one thread, in order.
     *
     * @param line a JSON object, without a line break
     * @throws IOException if the line is lost
     */
    void write(String line) throws IOException, InterruptedException;

    /** Notes that the queue is empty. */
    default void flush() throws IOException { }
}
