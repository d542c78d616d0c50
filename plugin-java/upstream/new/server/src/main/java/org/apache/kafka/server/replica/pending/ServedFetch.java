package org.apache.kafka.server.replica.pending;

/** The fetch that this request handler thread serves. */
public final class ServedFetch {
    private static final ThreadLocal<String> CONNECTION = new ThreadLocal<>();

    private ServedFetch() { }

    /**
     * Notes that this thread begins to serve a fetch.
     *
     * @param fetcher the follower's connection in scope "request", or null
     */
    public static void begin(String connectionId, FetcherConnection fetcher) {
        CONNECTION.set(connectionId);
        if (fetcher != null) {
            fetcher.serve();
        }
    }

    /** Notes that this thread no longer serves a fetch, whose response may still be pending. */
    public static void end() {
        CONNECTION.remove();
        FetcherConnection.served();
    }

    /** Returns the connection's id, or null if this thread serves no fetch. */
    static String connectionId() {
        return CONNECTION.get();
    }
}
