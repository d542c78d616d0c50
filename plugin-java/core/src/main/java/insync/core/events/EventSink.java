package insync.core.events;

import java.io.IOException;
import java.util.Map;

/** Takes an event log's lines. Callers that emit call only {@link #wants}; the other methods may wait. */
public interface EventSink {

    /** Returns whether an event belongs here. Must return at once. */
    default boolean wants(Map<String, Object> event) {
        return true;
    }

    /**
     * Takes one line; called by one thread, in order.
     *
     * @param line a JSON object, without the end of its line
     * @throws IOException if the line is lost
     */
    void write(String line) throws IOException, InterruptedException;

    /** Notes that nothing more waits to be written now. */
    default void flush() throws IOException { }
}
