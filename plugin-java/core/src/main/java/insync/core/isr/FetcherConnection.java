package insync.core.isr;

/**
 * One connection from a follower's fetcher thread, and the fetch on it that is in the leader's hands. Kafka
 * handles one request of a connection at a time, so there is one such fetch or none.
 *
 * <p>A fetch is in the leader's hands from its arrival until its response is sent, but for the time in which the
 * follower's socket takes no more. What it costs does not depend on its number of partitions: they share the
 * {@link FetcherClock} of their fetch session, and each reads it when the leader reads the partition for them.
 * The members of the session can only become fewer with a request that starts a session or names partitions to
 * forget; such a request brings a new clock, to which its partitions move as they are read. Those that do not
 * move are charged again from the end of that request.
 *
 * <p>A partition that a fetch names, though it is not of its session, is charged for no time since that fetch arrived:
 * for good once it is read, and until then as long as the fetch is in hand and its answer has met no full socket.
 */
public final class FetcherConnection {
    private static final ThreadLocal<FetcherConnection> SERVING = new ThreadLocal<>();

    private final int follower;
    private final NetworkThread thread;
    private final RequestScope scope;
    private final ArrivalReadings atArrival;
    /** All connections of the follower, with the last lost ones. */
    private volatile FetcherConnection[] siblings = {this};
    // Volatile for the siblings.
    private volatile FetcherClock clock;
    private volatile FetcherClock next;
    private volatile boolean lost;
    private Object request;
    private boolean socketFull;
    private boolean socketWasFull;
    private long ageSince;
    private long ageBefore;

    // Written before the request is queued, and then only read, by the thread that serves the request.
    private FetcherClock clockOfRequest;
    private long chargedAtArrival;
    private long pausedAtArrival;
    private long brokerEpoch;

    FetcherConnection(int follower, NetworkThread thread, RequestScope scope) {
        this.follower = follower;
        this.thread = thread;
        this.scope = scope;
        this.atArrival = new ArrivalReadings(scope.leaderClock());
        this.clock = new FetcherClock(thread);
        this.clock.run(scope.nanos());
    }

    /** The connection whose fetch this thread reads for just now, or null. */
    public static FetcherConnection serving() {
        return SERVING.get();
    }

    /** This thread begins to read for a fetch of this connection. */
    public void serve() {
        SERVING.set(this);
    }

    /** This thread reads for nobody any longer. */
    public static void served() {
        SERVING.set(null);
    }

    /**
     * A fetch has arrived; called by the network thread before anybody can serve it.
     *
     * @param fetch the request, by which it is known until {@link #sent}
     * @param epoch the follower's broker epoch, or -1
     * @param newMembers whether the request starts a session, or names partitions to forget
     */
    public synchronized void arrived(Object fetch, long epoch, boolean newMembers) {
        long now = scope.nanos();
        drop(now);
        clock.stop(now);
        readClocks(newMembers, now);
        next = newMembers ? new FetcherClock(thread) : null;
        request = fetch;
        socketWasFull = false;
        ageBefore = 0;
        ageSince = now;
        clockOfRequest = newMembers ? next : clock;
        chargedAtArrival = clockOfRequest.nanos(now);
        pausedAtArrival = clockOfRequest.pausedNanos(now);
        brokerEpoch = epoch;
        scope.stats().marked(1);
    }

    /** In the steady state of a follower with one connection there is nothing to read. */
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

    /** The socket took not all of the response: from now on the follower's time runs. */
    public synchronized void socketFull() {
        if (request != null && !socketFull) {
            long now = scope.nanos();
            ageBefore = ageNanos(now);
            socketFull = true;
            socketWasFull = true;
            runClocks(now);
        }
    }

    /** The network thread offers the socket more of the response. */
    public synchronized void socketOffered() {
        if (socketFull) {
            ageSince = scope.nanos();
            socketFull = false;
            clock.stop(ageSince);
            if (next != null) {
                next.stop(ageSince);
            }
        }
    }

    /** The response is sent, or there will be none. Only the first call for a request counts. */
    public synchronized void sent(Object fetch) {
        if (request == fetch) {
            long now = scope.nanos();
            long held = ageNanos(now);
            letGo(now);
            scope.stats().released(1, held);
            scope.listener().released(follower, null, -1, held);
        }
    }

    /** The connection is lost, and with it the answer to whatever is still in the leader's hands. */
    synchronized void closed() {
        lost = true;
        drop(scope.nanos());
    }

    /** The broker id that the fetches of this connection carry. */
    public int follower() {
        return follower;
    }

    public RequestScope scope() {
        return scope;
    }

    FetcherClock clockOfRequest() {
        return clockOfRequest;
    }

    long chargedAtArrival() {
        return chargedAtArrival;
    }

    long pausedAtArrival() {
        return pausedAtArrival;
    }

    long brokerEpoch() {
        return brokerEpoch;
    }

    /** What a clock showed when the request arrived; null for the leader's own. */
    synchronized long chargedAtArrival(FetcherClock other, long now) {
        return other == clockOfRequest ? chargedAtArrival : atArrival.charged(other, now);
    }

    /** And the pauses that it counted. */
    synchronized long pausedAtArrival(FetcherClock other, long now) {
        return other == clockOfRequest ? pausedAtArrival : atArrival.paused(other, now);
    }

    /** What is read for a lost connection is nobody's progress any longer. */
    boolean isLost() {
        return lost;
    }

    void siblings(FetcherConnection[] all) {
        siblings = all;
    }

    /** How long the fetch has been in the leader's hands by the broker's clock, 0 if there is none. */
    synchronized long ageNanos(long now) {
        if (request == null) {
            return 0;
        }
        return socketFull ? ageBefore : ageBefore + now - ageSince;
    }

    /**
     * Since when the fetch has been in the leader's hands, had it been there without a break, or
     * {@link FollowerTracker#NOT_PENDING}: there is none, or the follower's socket is full.
     */
    synchronized long pendingSince() {
        return request == null || socketFull ? FollowerTracker.NOT_PENDING : ageSince - ageBefore;
    }

    /** Whether a fetch stands that stops this clock. */
    synchronized boolean stops(FetcherClock of) {
        return request != null && of != null && (of == clock || of == next);
    }

    /**
     * The offset at which the fetch in hand names a partition, or {@link FetchBody#NOT_NAMED}.
     *
     * @param leastBrokerEpoch a fetch of an older incarnation of the follower does not count
     */
    synchronized long namedOffset(FollowerReplica replica, long leastBrokerEpoch) {
        if (request == null || socketWasFull || brokerEpoch < leastBrokerEpoch) {
            return FetchBody.NOT_NAMED;
        }
        return scope.body().offsetOf(request, replica);
    }

    private void drop(long now) {
        if (request != null) {
            letGo(now);
            scope.stats().cleared();
        }
    }

    private void letGo(long now) {
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
}
