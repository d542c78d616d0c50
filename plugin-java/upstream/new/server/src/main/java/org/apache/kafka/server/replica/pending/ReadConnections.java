package org.apache.kafka.server.replica.pending;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Finds the pending fetch of a connection in scope "read". The broker handles one request of a connection at a time. */
final class ReadConnections {
    private final Map<String, PendingFetch> pending = new ConcurrentHashMap<>();

    void pending(String connectionId, PendingFetch fetch) {
        pending.put(connectionId, fetch);
    }

    void ended(String connectionId, PendingFetch fetch) {
        pending.remove(connectionId, fetch);
    }

    void disconnected(String connectionId) {
        PendingFetch fetch = pending.remove(connectionId);
        if (fetch != null) {
            fetch.abandon();
        }
    }
}
