package insync.core.isr;

import java.util.Arrays;

/**
 * Tracks one connection from a follower's fetcher thread, and the fetch on it that the leader processes. Kafka handles
 * one request of a connection at a time, so there is at most one such fetch.
 *
 * <p>The leader processes a fetch from its arrival until its response is sent, without the time in which the
 * follower's socket is full. The cost does not depend on the number of partitions: they share the
 * {@link FetcherClock} of their fetch session, and each takes its reading when the leader reads the partition.
 * A partition can leave a session only by a request that starts a session or names partitions to forget. Such a
 * request gets a new clock, to which its partitions move when they are read. The partitions that do not move are
 * charged again from the end of that request.
 *
 * <p>A fetch may name a partition that is not in its session. That partition is not charged for time after the fetch
 * arrived: permanently once it is read; until then while the leader processes the fetch and no socket was full.
 */
public final class FetcherConnection {
    private static final ThreadLocal<FetcherConnection> SERVING = new ThreadLocal<>();

    /** The broker id in the fetches of this connection. */
    public final int follower;
    final Object principal;
    private final NetworkThread thread;
    public final RequestScope scope;
    private final ArrivalReadings atArrival;
    /** All connections of the follower, including those lost recently. */
    volatile FetcherConnection[] siblings = {this};
    // Volatile because the siblings read it.
    private volatile FetcherClock clock;
    private volatile FetcherClock next;
    /** Reads for a lost connection are not progress of the follower. */
    volatile boolean lost;
    /** Whether Kafka has accepted a fetch of this connection. */
    volatile boolean proven;
    /**
     * Whether the partitions of its fetch session are known: named by a request, or found at the first read. They are not if the
     * session began before the scope: its fetches name only partitions that changed.
     */
    public volatile boolean sessionKnown;
    private Object request;
    /** Whether a handler has begun with the fetch. */
    private volatile boolean handled;
    private boolean socketFull;
    private boolean socketWasFull;
    private long ageSince;
    private long ageBefore;
    private long waitNanos;

    // Written before the request is queued; afterwards only the thread that serves the request reads them.
    FetcherClock clockOfRequest;
    long chargedAtArrival;
    /** The machine's time when the request arrived. */
    long arrivedAt;
    long brokerEpoch;

    FetcherConnection(int follower, Object principal, NetworkThread thread, RequestScope scope) {
        this.follower = follower;
        this.principal = principal;
        this.thread = thread;
        this.scope = scope;
        this.atArrival = new ArrivalReadings(scope.leaderClock);
        this.clock = new FetcherClock(thread);
        this.clock.run(scope.clock.nanos());
    }

    /** Returns the connection whose fetch this thread serves now, or null. */
    public static FetcherConnection serving() {
        return SERVING.get();
    }

    /** Notes that this thread begins to read for a fetch of this connection. */
    public void serve() {
        handled = true;
        SERVING.set(this);
    }

    /** Notes that this thread no longer reads for a connection. */
    public static void served() {
        SERVING.set(null);
    }

    /**
     * Notes that a fetch has arrived; called by the network thread before a handler can serve it.
     *
     * @param fetch the request; its identity is used until {@link #sent}
     * @param epoch the follower's broker epoch, or -1
     * @param newMembers whether the request starts a session, or names partitions to forget
     * @param maxWaitMs how long the request may wait for records, as the follower asks for
     */
    public synchronized void arrived(Object fetch, long epoch, boolean newMembers, long maxWaitMs) {
        long now = scope.clock.nanos();
        drop(now);
        clock.stop(now);
        readClocks(newMembers, now);
        next = newMembers ? new FetcherClock(thread) : null;
        request = fetch;
        handled = false;
        socketWasFull = false;
        ageBefore = 0;
        ageSince = now;
        waitNanos = Math.max(0, maxWaitMs) * 1_000_000L;
        clockOfRequest = newMembers ? next : clock;
        chargedAtArrival = clockOfRequest.nanos(now);
        arrivedAt = now;
        brokerEpoch = epoch;
        scope.stats.marked.increment();
    }

    /** Takes the readings of the follower's other connections; in the steady state there is only one. */
    private void readClocks(boolean newMembers, long now) {
        atArrival.begin(now);
        if (newMembers) {
            atArrival.add(clock, now);
        }
        for (FetcherConnection sibling : siblings) {
            if (sibling != this) {
                atArrival.add(sibling.clock, now);
                atArrival.add(sibling.next, now);
            }
        }
    }

    /**
     * Notes that the socket did not take all of the response. From now on time is charged to the follower.
     *
     * @return whether the response is one to a fetch that this connection tracks
     */
    public synchronized boolean socketFull() {
        if (request != null && !socketFull) {
            long now = scope.clock.nanos();
            ageBefore = ageNanos(now);
            socketFull = true;
            socketWasFull = true;
            runClocks(now);
        }
        return request != null;
    }

    /** Notes that the network thread offers the socket more of the response. */
    public synchronized void socketOffered() {
        if (socketFull) {
            ageSince = scope.clock.nanos();
            socketFull = false;
            clock.stop(ageSince);
            if (next != null) {
                next.stop(ageSince);
            }
        }
    }

    /** Notes that the response is sent, or never will be. Only the first call for a request counts. */
    public synchronized void sent(Object fetch) {
        if (request == fetch) {
            long now = scope.clock.nanos();
            long pending = ageNanos(now);
            release(now);
            scope.stats.released(1, pending);
            scope.listener.released(follower, null, -1, pending);
        }
    }

    /** Notes that the connection is lost. The leader cannot answer the fetch that it still processes. */
    synchronized void closed() {
        lost = true;
        drop(scope.clock.nanos());
    }

    /** Returns a clock's charged time when the request arrived; null means the leader's own clock. */
    synchronized long chargedAtArrival(FetcherClock other, long now) {
        return other == clockOfRequest ? chargedAtArrival : atArrival.charged(other, now);
    }

    /** Returns how long the leader has been processing the fetch by the broker's clock, 0 if there is none. */
    synchronized long ageNanos(long now) {
        if (request == null) {
            return 0;
        }
        return socketFull ? ageBefore : ageBefore + now - ageSince;
    }

    /**
     * Returns since when the fetch is overdue, which may be later than now, or {@link FollowerTracker#NOT_PENDING} if there
     * is no fetch or the follower's socket is full. Time in which the socket was full does not count, and none in which the queue
     * of requests moved and the fetch, or its network thread, waited for the queue.
     *
     * <p>While the network thread hangs in a call, the next fetch waits in the socket, where the broker does not see it. So it
     * counts as if it had arrived when the call began.
     */
    synchronized long overdueSince() {
        if (request == null) {
            long hangs = lost ? NetworkThread.NONE : thread.calledAt();
            return hangs == NetworkThread.NONE ? FollowerTracker.NOT_PENDING
                : (thread.callOn() == null ? whileStuck(hangs) : hangs) + waitNanos;
        }
        long since = ageSince - ageBefore;
        return socketFull ? FollowerTracker.NOT_PENDING : (handled ? since : whileStuck(since)) + waitNanos;
    }

    private long whileStuck(long since) {
        long stuck = scope.queueStuckSince;
        return stuck - since > 0 ? stuck : since;
    }

    /** Returns where the leader is with the pending fetch. */
    synchronized Hold.Site site() {
        if (request == null) {
            return Hold.Site.NONE;
        }
        if (!handled) {
            return Hold.Site.QUEUE;
        }
        return thread.callOn() == null ? Hold.Site.READ : Hold.Site.SEND;
    }

    /** Returns whether a pending fetch stops this clock. */
    synchronized boolean stops(FetcherClock of) {
        return request != null && serves(of);
    }

    /** Returns whether the partitions of this clock are in the fetch session of this connection. */
    synchronized boolean serves(FetcherClock of) {
        return of != null && (of == clock || of == next);
    }

    /**
     * Returns the offset that the pending fetch names for a partition, or {@link FetchBody#NOT_NAMED}.
     *
     * @param leastBrokerEpoch a fetch of an older incarnation of the follower does not count
     */
    synchronized long namedOffset(FollowerReplica replica, long leastBrokerEpoch) {
        if (request == null || socketWasFull || brokerEpoch < leastBrokerEpoch) {
            return FetchBody.NOT_NAMED;
        }
        return scope.body.offsetOf(request, replica);
    }

    private void drop(long now) {
        if (request != null) {
            release(now);
            scope.stats.cleared.increment();
        }
    }

    private void release(long now) {
        runClocks(now);
        if (next != null) {
            clock = next;
            next = null;
        }
        request = null;
        socketFull = false;
    }

    private void runClocks(long now) {
        clock.run(now);
        if (next != null) {
            next.run(now);
        }
    }

    /**
     * Records the readings of the clocks of a follower's partitions when its fetch arrives. If the fetch names a partition
     * that was on another clock until then, that partition is not charged for time after the arrival.
     */
    static final class ArrivalReadings {
        private final LeaderClock leader;
        private long ran;
        private FetcherClock[] clocks = {};
        private long[] charged = {};
        private int count;

        ArrivalReadings(LeaderClock leader) {
            this.leader = leader;
        }

        /** Notes that a fetch arrives; removes all earlier readings. */
        void begin(long now) {
            ran = leader.runNanos(now);
            count = 0;
        }

        /** @param clock the clock to read, or null */
        void add(FetcherClock clock, long now) {
            if (clock == null) {
                return;
            }
            if (count == clocks.length) {
                clocks = Arrays.copyOf(clocks, count + 2);
                charged = Arrays.copyOf(charged, count + 2);
            }
            clocks[count] = clock;
            charged[count] = clock.nanos(now);
            count++;
        }

        /** @param clock null for the leader's own clock, which counts for partitions not yet read in their leader epoch */
        long charged(FetcherClock clock, long now) {
            if (clock == null) {
                return ran;
            }
            for (int place = 0; place < count; place++) {
                if (clocks[place] == clock) {
                    return charged[place];
                }
            }
            // The clock belongs to a connection that was lost long ago. It has run since then.
            return clock.nanos(now) - (leader.runNanos(now) - ran);
        }
    }
}
