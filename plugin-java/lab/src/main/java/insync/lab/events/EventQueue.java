package insync.lab.events;

import insync.bridge.Json;
import insync.core.events.EventLog.EventCounts;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Queues events for one destination and writes them from a separate thread, so that callers never wait. When the queue
 * is full, events are dropped and counted.
 */
final class EventQueue {
    static final int CAPACITY = 10_000;

    private final BlockingQueue<Map<String, Object>> queue = new ArrayBlockingQueue<>(CAPACITY);
    private final EventSink sink;
    private final EventCounts counts;

    /** @param counts where drops are counted; the sink counts the events that it wrote */
    EventQueue(String thread, EventSink sink, EventCounts counts) {
        this.sink = sink;
        this.counts = counts;
        Thread writer = new Thread(this::run, thread);
        writer.setDaemon(true);
        writer.start();
    }

    void offer(Map<String, Object> event) {
        if (sink.wants(event) && !queue.offer(event)) {
            counts.wasDropped();
        }
    }

    private void run() {
        while (true) {
            try {
                sink.write(Json.of(queue.take()));
            } catch (IOException | RuntimeException | Error lost) {
                counts.wasDropped();
            } catch (InterruptedException ending) {
                return;
            }
        }
    }

    /** Writes an event log's lines to a destination. */
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
    }
}
