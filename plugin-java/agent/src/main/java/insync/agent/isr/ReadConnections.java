package insync.agent.isr;

import insync.core.isr.FetchMarks;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Finds the pending fetch of scope "read" on a connection, to release it when the connection is lost. Kafka handles one request
 * of a connection at a time. Used by versions whose KafkaApis and KafkaChannel are woven.
 */
public final class ReadConnections {
    private static final ThreadLocal<String> SERVING = new ThreadLocal<>();
    private static final Map<String, FetchMarks> PENDING = new ConcurrentHashMap<>();

    private ReadConnections() { }

    /** Notes that this thread begins to serve a fetch of a connection, or with null that it ends. */
    public static void serve(String connectionId) {
        if (connectionId == null) {
            SERVING.remove();
        } else {
            SERVING.set(connectionId);
        }
    }

    /**
     * Notes that a fetch is pending on the connection that this thread serves.
     *
     * @return the connection's id, or null if it is not known
     */
    static String pending(FetchMarks fetch) {
        String connectionId = SERVING.get();
        if (connectionId != null) {
            PENDING.put(connectionId, fetch);
        }
        return connectionId;
    }

    static void ended(String connectionId, FetchMarks fetch) {
        PENDING.remove(connectionId, fetch);
    }

    /** Releases the pending fetch of a connection that is lost. */
    public static void disconnected(String connectionId) {
        FetchMarks fetch = PENDING.remove(connectionId);
        if (fetch != null) {
            fetch.abandon();
        }
    }
}
