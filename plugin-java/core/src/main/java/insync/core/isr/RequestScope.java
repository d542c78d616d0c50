package insync.core.isr;

import insync.core.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** Runs scope "request" in one broker: keeps the connections of its followers' fetchers and the state they share. */
public final class RequestScope extends Scope {
    private static final FetcherConnection[] NONE = {};

    public final LeaderClock leaderClock;
    final FetchBody body;
    private final Map<String, FetcherConnection> connections = new ConcurrentHashMap<>();
    private final Map<Integer, FollowerConnections> byFollower = new ConcurrentHashMap<>();
    private final Map<Thread, NetworkThread> threads = new ConcurrentHashMap<>();
    private Object queueHead;
    private long queueSeen;
    /** Since when the same request may have been waiting for a handler for longest, by the machine's clock. */
    volatile long queueStuckSince;
    private volatile boolean on = true;

    public RequestScope(Clock clock, LeaderClock leaderClock, Stats stats, PendingListener listener, FetchBody body) {
        super(clock, stats, listener);
        this.leaderClock = leaderClock;
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

    /** Registers the current thread as one of the broker's network threads; called once by each. */
    public NetworkThread networkThread() {
        threads.keySet().removeIf(thread -> !thread.isAlive());
        NetworkThread made = new NetworkThread(leaderClock);
        threads.put(Thread.currentThread(), made);
        return made;
    }

    public boolean registered(NetworkThread thread) {
        return thread.leader == leaderClock;
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
        if (!connection.proven) {
            connection.proven = true;
            join(connection);
        }
    }

    private void join(FetcherConnection connection) {
        byFollower.compute(connection.follower, (id, known) -> {
            FollowerConnections group = known == null ? new FollowerConnections() : known;
            group.add(connection);
            return group;
        });
    }

    @Override
    public FollowerTracker tracker(FollowerReplica follower, long electedMs, FollowerTracker earlier) {
        return new RequestScopeTracker(follower, this, electedMs, earlier);
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
            byFollower.computeIfPresent(lost.follower, (follower, group) -> {
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

    /** Ends the effect of its trackers, and removes all connections. */
    @Override
    public void end() {
        super.end();
        connections.clear();
        byFollower.clear();
        threads.clear();
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

    /**
     * Keeps the connections of one follower: the live ones, and a few that were lost recently, because partitions may still be
     * on their clocks. Changed by one thread at a time, read by any.
     *
     * <p>Any client can claim a follower's id in a fetch, and Kafka checks its permission only after the request has waited in
     * the queue. A connection is <em>proven</em> when Kafka has accepted a fetch on it. Others count only if they
     * have the principal of a proven one, and only a few at a time.
     */
    static final class FollowerConnections {
        /** How many lost connections are kept. */
        static final int LOST = 4;
        /** How many connections count that no fetch has proven yet; a follower has one per fetcher thread. */
        static final int UNPROVEN = 8;
        /** How many connections count at all, because each fetch reads the clocks of the others. */
        static final int MOST = 64;
        private static final FetcherConnection[] NONE = {};

        /** The connections that count. */
        private volatile FetcherConnection[] all = NONE;
        /** The principal of the newest proven connection, or null. */
        private Object principal;

        FetcherConnection[] all() {
            return all;
        }

        /** Adds a connection if it counts; adding one again has no effect, unless it is proven since then. */
        void add(FetcherConnection connection) {
            List<FetcherConnection> members = new ArrayList<>(Arrays.asList(all));
            if (connection.proven) {
                principal = connection.principal;
                // A client that may not replicate may have come before the follower.
                members.removeIf(member -> !member.proven && !principal.equals(member.principal));
            }
            if (!members.contains(connection) && (connection.proven || mayCount(connection, members))) {
                dropOldLost(members);
                if (members.size() < MOST + LOST) {
                    members.add(connection);
                }
            }
            become(members);
        }

        /** Removes a lost connection that was never proven, and keeps one that was. */
        void lost(FetcherConnection connection) {
            if (!connection.proven) {
                List<FetcherConnection> members = new ArrayList<>(Arrays.asList(all));
                members.remove(connection);
                become(members);
            }
        }

        private boolean mayCount(FetcherConnection connection, List<FetcherConnection> members) {
            long unproven = members.stream().filter(member -> !member.proven).count();
            return unproven < UNPROVEN && (principal == null || principal.equals(connection.principal));
        }

        private static void dropOldLost(List<FetcherConnection> members) {
            List<FetcherConnection> lost = members.stream().filter(member -> member.lost).collect(Collectors.toList());
            members.removeAll(lost.subList(0, Math.max(0, lost.size() - LOST)));
        }

        private void become(List<FetcherConnection> members) {
            all = members.toArray(NONE);
            members.forEach(member -> member.siblings = all);
        }
    }
}
