package insync.core.isr;

import insync.core.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Runs scope "request" in one broker: keeps the connections of its followers' fetchers and the state they share. */
public final class RequestScope {
    /** How many lost connections of a follower are kept, because partitions may still be on their clocks. */
    private static final int LOST = 4;
    private static final FetcherConnection[] NONE = {};

    private final Clock clock;
    private final LeaderClock leaderClock;
    private final Stats stats;
    private final PendingListener listener;
    private final FetchBody body;
    private final Map<String, FetcherConnection> connections = new ConcurrentHashMap<>();
    private final Map<Integer, FetcherConnection[]> byFollower = new ConcurrentHashMap<>();
    private final Map<Thread, NetworkThread> threads = new ConcurrentHashMap<>();

    public RequestScope(Clock clock, LeaderClock leaderClock, Stats stats, PendingListener listener, FetchBody body) {
        this.clock = clock;
        this.leaderClock = leaderClock;
        this.stats = stats;
        this.listener = listener;
        this.body = body;
    }

    /** Registers the current thread as one of the broker's network threads; called once by each. */
    public NetworkThread networkThread() {
        threads.keySet().removeIf(thread -> !thread.isAlive());
        NetworkThread made = new NetworkThread(leaderClock);
        threads.put(Thread.currentThread(), made);
        return made;
    }

    /** Returns the clock of a network thread, or null if no request came on it. */
    public NetworkThread networkThread(Thread thread) {
        return threads.get(thread);
    }

    /**
     * Returns the connection with an id, created if it is new; called by its network thread.
     *
     * @param id Kafka's connection id, unique while the connection lives
     * @param follower the broker id that its fetches carry
     */
    public FetcherConnection connection(String id, int follower, NetworkThread thread) {
        FetcherConnection known = connections.get(id);
        if (known == null) {
            known = new FetcherConnection(follower, thread, this);
            connections.put(id, known);
            byFollower.merge(follower, new FetcherConnection[] {known}, RequestScope::joined);
            for (FetcherConnection sibling : of(follower)) {
                sibling.siblings(of(follower));
            }
        }
        return known;
    }

    /** Returns the connection with an id, or null if no follower's fetch came on it. */
    public FetcherConnection find(String id) {
        return connections.get(id);
    }

    /** Notes that a connection is lost, and releases its pending fetch. Unknown and repeated ids have no effect. */
    public void disconnected(String id) {
        FetcherConnection lost = connections.remove(id);
        if (lost != null) {
            lost.closed();
        }
    }

    public LeaderClock leaderClock() {
        return leaderClock;
    }

    /** Returns the connections of a follower, including those lost recently. */
    FetcherConnection[] of(int follower) {
        return byFollower.getOrDefault(follower, NONE);
    }

    private static FetcherConnection[] joined(FetcherConnection[] before, FetcherConnection[] added) {
        List<FetcherConnection> all = new ArrayList<>(Arrays.asList(before));
        long lost = all.stream().filter(FetcherConnection::isLost).count();
        for (int i = 0; lost > LOST; ) {
            if (all.get(i).isLost()) {
                all.remove(i);
                lost--;
            } else {
                i++;
            }
        }
        all.addAll(Arrays.asList(added));
        return all.toArray(NONE);
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
