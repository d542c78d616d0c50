package insync.core.events;

import java.io.IOException;
import java.util.Map;

/** A place for an event log's lines. Only {@link #wants} is called by those who emit; the rest may wait. */
public interface EventSink {

    /** Whether an event belongs here. Must return at once. */
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

    /** Nothing more waits to be written now. */
    default void flush() throws IOException { }
}
