package insync.core;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Scope "request" in one broker: the connections of its followers' fetchers, and what they share. */
public final class RequestScope {
    private final Clock clock;
    private final LeaderClock leaderClock;
    private final Stats stats;
    private final PendingListener listener;
    private final FetchBody body;
    private final Map<String, FetcherConnection> connections = new ConcurrentHashMap<>();

    public RequestScope(Clock clock, LeaderClock leaderClock, Stats stats, PendingListener listener, FetchBody body) {
        this.clock = clock;
        this.leaderClock = leaderClock;
        this.stats = stats;
        this.listener = listener;
        this.body = body;
    }

    /**
     * The connection with an id, made known if it is new; called by its network thread.
     *
     * @param id Kafka's connection id, unique while the connection lives
     * @param follower the broker id that its fetches carry
     */
    public FetcherConnection connection(String id, int follower, NetworkThread thread) {
        FetcherConnection known = connections.get(id);
        if (known == null) {
            known = new FetcherConnection(follower, thread, this);
            connections.put(id, known);
        }
        return known;
    }

    /** The connection with an id, or null if it has carried no fetch of a follower. */
    public FetcherConnection find(String id) {
        return connections.get(id);
    }

    /** A connection is lost; what its fetch held is released. Any id may be given, any number of times. */
    public void disconnected(String id) {
        FetcherConnection lost = connections.remove(id);
        if (lost != null) {
            lost.closed();
        }
    }

    public LeaderClock leaderClock() {
        return leaderClock;
    }

    /**
     * A connection whose fetch in hand names the partition, though it does not stop the partition's clock: the
     * first fetch in an epoch, or one on a new connection. Null if there is none.
     *
     * @param leastBrokerEpoch a fetch of an older incarnation of the follower does not count
     */
    FetcherConnection naming(FollowerReplica replica, FetcherClock clock, long leastBrokerEpoch) {
        for (FetcherConnection connection : connections.values()) {
            if (connection.follower() == replica.replicaId() && !connection.stops(clock)
                    && connection.namedOffset(replica, leastBrokerEpoch) != FetchBody.NOT_NAMED) {
                return connection;
            }
        }
        return null;
    }

    /** The connection whose fetch in hand stops a clock, or null. */
    FetcherConnection stopping(FetcherClock clock) {
        for (FetcherConnection connection : connections.values()) {
            if (connection.stops(clock)) {
                return connection;
            }
        }
        return null;
    }

    long millis() {
        return clock.millis();
    }

    long nanos() {
        return clock.nanos();
    }

    Stats stats() {
        return stats;
    }

    PendingListener listener() {
        return listener;
    }

    FetchBody body() {
        return body;
    }
}
