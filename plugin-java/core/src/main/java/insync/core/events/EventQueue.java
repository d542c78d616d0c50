package insync.core.events;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Queues events for one place that may wait, so that callers never do: a bounded queue and a thread of its own. Events
 * that find the queue full are dropped and counted.
 */
final class EventQueue {
    static final int CAPACITY = 10_000;

    private final BlockingQueue<Map<String, Object>> queue = new ArrayBlockingQueue<>(CAPACITY);
    private final EventSink sink;
    private final EventCounts counts;

    /** @param counts where drops are counted; what was written is the sink's to count, who knows when it is */
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
        // Created in this thread, so that the broker's start does not wait for it.
        Gson gson = new GsonBuilder().disableHtmlEscaping().serializeNulls().create();
        while (true) {
            try {
                sink.write(gson.toJson(queue.take()));
                if (queue.isEmpty()) {
                    sink.flush();
                }
            } catch (IOException | RuntimeException lost) {
                counts.wasDropped();
            } catch (InterruptedException ending) {
                return;
            }
        }
    }
}
