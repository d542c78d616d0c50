package insync.core.isr;

import insync.core.Clock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Runs scope "request" in one broker: keeps the connections of its followers' fetchers and the state they share. */
public final class RequestScope {
    private static final FetcherConnection[] NONE = {};

    private final Clock clock;
    private final LeaderClock leaderClock;
    private final Stats stats;
    private final PendingListener listener;
    private final FetchBody body;
    private final Map<String, FetcherConnection> connections = new ConcurrentHashMap<>();
    private final Map<Integer, FollowerConnections> byFollower = new ConcurrentHashMap<>();
    private final Map<Thread, NetworkThread> threads = new ConcurrentHashMap<>();
    private Object queueHead;
    private long queueSeen;
    private volatile long queueStuckSince;
    private volatile boolean on = true;
    private volatile boolean ended;

    public RequestScope(Clock clock, LeaderClock leaderClock, Stats stats, PendingListener listener, FetchBody body) {
        this.clock = clock;
        this.leaderClock = leaderClock;
        this.stats = stats;
        this.listener = listener;
        this.body = body;
        this.queueSeen = clock.nanos();
        this.queueStuckSince = queueSeen;
    }

    /**
     * Notes which request waits for a handler for longest. While that changes, requests wait because there are many, and not
     * because the leader hangs. One thread calls it again and again; nobody needs to.
     *
     * @param head null if none waits
     */
    public void queueIs(Object head) {
        long now = clock.nanos();
        if (head == null || head != queueHead) {
            queueStuckSince = head == null ? now : queueSeen;
        }
        queueHead = head;
        queueSeen = now;
    }

    /** Returns since when the same request may have been waiting for a handler for longest, by the machine's clock. */
    long queueStuckSince() {
        return queueStuckSince;
    }

    /** Registers the current thread as one of the broker's network threads; called once by each. */
    public NetworkThread networkThread() {
        threads.keySet().removeIf(thread -> !thread.isAlive());
        NetworkThread made = new NetworkThread(leaderClock);
        threads.put(Thread.currentThread(), made);
        return made;
    }

    /** Returns whether it registered a network thread. */
    public boolean registered(NetworkThread thread) {
        return thread.leader() == leaderClock;
    }

    /** Returns the clock of a network thread, or null if no request came on it. */
    public NetworkThread networkThread(Thread thread) {
        return threads.get(thread);
    }

    /** Returns for how long a network thread has been in a call at most, without pauses of the process, in nanoseconds. */
    public long longestCallNanos() {
        return threads.values().stream().mapToLong(NetworkThread::inCallNanos).max().orElse(0);
    }

    /**
     * Returns the connection with an id, created if it is new; called by its network thread, before Kafka checks whether
     * its client may replicate.
     *
     * @param id Kafka's connection id, unique while the connection lives
     * @param follower the broker id that its fetches carry
     * @param principal its client's principal
     */
    public FetcherConnection connection(String id, int follower, Object principal, NetworkThread thread) {
        FetcherConnection known = connections.get(id);
        if (known == null) {
            known = new FetcherConnection(follower, principal, thread, this);
            connections.put(id, known);
            join(known);
        }
        return known;
    }

    /** Notes that Kafka has accepted a fetch of the connection, whose client may replicate. */
    public void accepted(FetcherConnection connection) {
        if (!connection.isProven()) {
            connection.proven();
            join(connection);
        }
    }

    private void join(FetcherConnection connection) {
        byFollower.compute(connection.follower(), (id, known) -> {
            FollowerConnections group = known == null ? new FollowerConnections() : known;
            group.add(connection);
            return group;
        });
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
            byFollower.computeIfPresent(lost.follower(), (follower, group) -> {
                group.lost(lost);
                return group.all().length == 0 ? null : group;
            });
        }
    }

    /** Notes that a config update turned the scope off. The fetches that are pending in it count until they end. */
    public void turnOff() {
        on = false;
    }

    /** Returns whether fetches that arrive now begin in this scope. */
    public boolean isOn() {
        return on;
    }

    /** Returns whether it processes no fetch. */
    public boolean isIdle() {
        return connections.values().stream().noneMatch(FetcherConnection::isPending);
    }

    /** Ends the effect of its trackers, and removes all connections. */
    public void end() {
        ended = true;
        connections.clear();
        byFollower.clear();
        threads.clear();
    }

    boolean hasEnded() {
        return ended;
    }

    public LeaderClock leaderClock() {
        return leaderClock;
    }

    /** Returns the connections of a follower that count, including those lost recently. */
    FetcherConnection[] of(int follower) {
        FollowerConnections group = byFollower.get(follower);
        return group == null ? NONE : group.all();
    }

    /** Returns how many followers have connections that count. */
    int followers() {
        return byFollower.size();
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
