package insync.core;

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
 */
public final class FetcherConnection {
    private static final ThreadLocal<FetcherConnection> SERVING = new ThreadLocal<>();

    private final int follower;
    private final NetworkThread thread;
    private final RequestScope scope;
    private FetcherClock clock;
    private FetcherClock next;
    private Object request;
    private boolean socketFull;
    private long handsSince;
    private long handsBefore;
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
        this.clock = new FetcherClock(thread);
        this.clock.run(thread.lived(scope.nanos()));
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
        long lived = thread.lived(now);
        drop(lived);
        clock.stop(lived);
        next = newMembers ? new FetcherClock(thread) : null;
        request = fetch;
        handsBefore = 0;
        handsSince = lived;
        ageBefore = 0;
        ageSince = now;
        clockOfRequest = newMembers ? next : clock;
        chargedAtArrival = clockOfRequest.nanos(now);
        pausedAtArrival = now - scope.leaderClock().lived(now);
        brokerEpoch = epoch;
        scope.stats().marked(1);
    }

    /** The socket took not all of the response: from now on the follower's time runs. */
    public synchronized void socketFull() {
        if (request != null && !socketFull) {
            long now = scope.nanos();
            handsBefore = handsNanos(now);
            ageBefore = ageNanos(now);
            socketFull = true;
            runClocks(thread.lived(now));
        }
    }

    /** The network thread offers the socket more of the response. */
    public synchronized void socketOffered() {
        if (socketFull) {
            ageSince = scope.nanos();
            handsSince = thread.lived(ageSince);
            socketFull = false;
            clock.stop(handsSince);
            if (next != null) {
                next.stop(handsSince);
            }
        }
    }

    /** The response is sent, or there will be none. Only the first call for a request counts. */
    public synchronized void sent(Object fetch) {
        if (request == fetch) {
            long now = scope.nanos();
            long held = ageNanos(now);
            letGo(thread.lived(now));
            scope.stats().released(1, held);
            scope.listener().released(follower, null, -1, held);
        }
    }

    /** The connection is lost, and with it the answer to whatever is still in the leader's hands. */
    synchronized void closed() {
        drop(thread.lived(scope.nanos()));
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

    /** What a clock of some partition of this request showed when the request arrived. */
    synchronized long atArrival(FetcherClock other) {
        long now = scope.nanos();
        return other == clock ? other.nanos(now) : other.nanos(now) - handsNanos(now);
    }

    /** How long the fetch has been in the leader's hands as its network thread lived it, 0 if there is none. */
    synchronized long handsNanos(long now) {
        if (request == null) {
            return 0;
        }
        return socketFull ? handsBefore : handsBefore + thread.lived(now) - handsSince;
    }

    /** The same by the broker's clock, its pauses included. */
    synchronized long ageNanos(long now) {
        if (request == null) {
            return 0;
        }
        return socketFull ? ageBefore : ageBefore + now - ageSince;
    }

    /** Whether a fetch stands that stops this clock. */
    synchronized boolean stops(FetcherClock of) {
        return request != null && of != null && (of == clock || of == next);
    }

    /** The offset at which the fetch in hand names a partition, or {@link FetchBody#NOT_NAMED}. */
    synchronized long namedOffset(FollowerReplica replica, long leastBrokerEpoch) {
        if (request == null || brokerEpoch < leastBrokerEpoch) {
            return FetchBody.NOT_NAMED;
        }
        return scope.body().offsetOf(request, replica);
    }

    private void drop(long lived) {
        if (request != null) {
            letGo(lived);
            scope.stats().cleared();
        }
    }

    private void letGo(long lived) {
        runClocks(lived);
        if (next != null) {
            clock = next;
            next = null;
        }
        request = null;
        socketFull = false;
    }

    private void runClocks(long lived) {
        clock.run(lived);
        if (next != null) {
            next.run(lived);
        }
    }
}
