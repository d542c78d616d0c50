package insync.core.isr;

import insync.core.Millis;
import java.util.List;
import java.util.Map;

/**
 * Applies Kafka's own caught-up rule in scope "request", on a clock that stops while the leader processes the
 * follower's fetch. A follower is out of sync when replica.lag.time.max.ms of <em>charged</em> time have passed
 * since it was last caught up. If it was out of sync before its fetch arrived, it stays out of sync.
 *
 * <p>What is not charged is forgiven, whatever the leader did in it, up to {@link FetchRule#forgivenMs}; the rest is charged.
 */
public final class RequestScopeTracker extends FollowerTracker {
    private static final long NANOS_PER_MS = 1_000_000L;
    private static final long FAR = Long.MAX_VALUE / 4;

    private final RequestScope requests;
    /** Null until a fetch is read in this leader epoch; null means the leader's own clock. */
    private FetcherClock clock;
    /** Readings of that clock, and the machine's time at these readings. */
    private long caughtUp;
    private long caughtUpAt;
    private long lastFetch;
    private long lastFetchAt;
    private boolean outlived;
    private long offset;
    private long brokerEpoch = -1;

    /** @param electedMs time of the leader's election for a member of the ISR, 0 for others */
    public RequestScopeTracker(FollowerReplica replica, RequestScope scope, long electedMs, FollowerTracker earlier) {
        super(replica, scope, earlier);
        this.requests = scope;
        forget(electedMs);
    }

    @Override
    void read(long fetchOffset, long leaderLeo) {
        FetcherConnection from = FetcherConnection.serving();
        if (from == null || from.lost || from.scope != requests) {
            return;
        }
        if (clock != from.clockOfRequest) {
            moveTo(from);
        }
        offset = fetchOffset;
        brokerEpoch = from.brokerEpoch;
        if (fetchOffset >= leaderLeo) {
            caughtUp = from.chargedAtArrival;
            caughtUpAt = from.arrivedAt;
            releaseHold();
        } else if (FetchRule.isCaughtUp(fetchOffset, leaderLeo, previousLeaderLeo)) {
            caughtUp = lastFetch;
            caughtUpAt = lastFetchAt;
            releaseHold();
        }
        lastFetch = from.chargedAtArrival;
        lastFetchAt = from.arrivedAt;
    }

    /**
     * Notes that the session of a fetch that the leader is about to read includes the partition. Needed for a session that
     * began before the scope, whose fetches do not name it: until one is read, none would count.
     */
    public synchronized void inSession(FetcherConnection from) {
        if (clock == null && !from.lost) {
            moveTo(from);
        }
    }

    @Override
    void forget(long caughtUpMs) {
        long now = requests.clock.nanos();
        long since = caughtUpMs == NEVER ? 0 : (requests.clock.millis() - caughtUpMs) * NANOS_PER_MS;
        clock = null;
        caughtUp = caughtUpMs == NEVER ? -FAR : requests.leaderClock.runNanos(now) - since;
        caughtUpAt = now - since;
        lastFetch = caughtUp;
        lastFetchAt = caughtUpAt;
    }

    @Override
    boolean holds(long nowMs, long maxLagMs) {
        long now = requests.clock.nanos();
        long limit = Millis.toNanos(maxLagMs);
        long forgiven = Millis.toNanos(FetchRule.forgivenMs(maxLagMs));
        long least = charged(clock == null ? requests.leaderClock.runNanos(now) : clock.nanos(now));
        for (FetcherConnection connection : requests.of(replica.replicaId())) {
            if (connection.namedOffset(replica, brokerEpoch) != FetchBody.NOT_NAMED) {
                least = Math.min(least, charged(connection.chargedAtArrival(clock, now)));
            }
        }
        long beyond = Math.max(0, now - caughtUpAt - least - forgiven);
        boolean outlives = least <= limit && least + beyond > limit;
        if (outlives && !outlived) {
            stats.outlived.increment();
            requests.listener.outlived(replica.replicaId(), replica.topic(), replica.partition(), now - caughtUpAt);
        }
        outlived = outlives;
        return least + beyond <= limit;
    }

    @Override
    synchronized Hold holdNow() {
        for (FetcherConnection connection : requests.of(replica.replicaId())) {
            Hold.Site site = isAbout(connection) ? connection.site() : Hold.Site.NONE;
            if (site != Hold.Site.NONE) {
                return new Hold(replica, site, connection.ageNanos(requests.clock.nanos()));
            }
        }
        return new Hold(replica, Hold.Site.NONE, 0);
    }

    /** Returns what the follower is charged since it was caught up, at a reading of its clock. */
    private long charged(long reading) {
        return Math.max(0, reading - caughtUp);
    }

    @Override
    synchronized List<Map<String, Object>> pending() {
        for (FetcherConnection connection : requests.of(replica.replicaId())) {
            long named = connection.namedOffset(replica, brokerEpoch);
            if (named != FetchBody.NOT_NAMED || connection.stops(clock)) {
                // A request that does not name a partition of its session repeats the previous offset.
                return List.of(entry(named == FetchBody.NOT_NAMED ? offset : named, replica.leaderEpoch(),
                    connection.ageNanos(requests.clock.nanos())));
            }
        }
        return List.of();
    }

    @Override
    long oldestOverdue(long before) {
        long oldest = NOT_PENDING;
        for (FetcherConnection connection : requests.of(replica.replicaId())) {
            long since = connection.overdueSince();
            if (since != NOT_PENDING && since - before <= 0 && isAbout(connection)) {
                oldest = earlierOf(oldest, since);
            }
        }
        return oldest;
    }

    /** Returns whether the pending fetch of a connection, or else its next one, includes this partition. */
    private synchronized boolean isAbout(FetcherConnection connection) {
        return connection.serves(clock) || connection.namedOffset(replica, brokerEpoch) != FetchBody.NOT_NAMED;
    }

    /** Moves the partition to another clock, with the time that it was charged until the fetch arrived. */
    private void moveTo(FetcherConnection from) {
        long now = requests.clock.nanos();
        long charged = from.chargedAtArrival(clock, now);
        caughtUp = from.chargedAtArrival - Math.max(0, charged - caughtUp);
        lastFetch = from.chargedAtArrival - Math.max(0, charged - lastFetch);
        clock = from.clockOfRequest;
    }
}
