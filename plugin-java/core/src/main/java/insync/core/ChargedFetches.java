package insync.core;

import java.util.List;
import java.util.Map;

/**
 * Scope "request": Kafka's own caught-up rule, on a clock that stands still while the follower's fetch is in the
 * leader's hands. A follower is out of sync when replica.lag.time.max.ms of <em>charged</em> time have passed
 * since it was last caught up; one that was so before its fetch arrived stays so.
 */
public final class ChargedFetches extends FollowerFetches {
    /** Pauses of the leader's process are forgiven up to this many times replica.lag.time.max.ms since a follower was caught up. */
    static final long FORGIVEN_LAGS = 10;
    private static final long NANOS_PER_MS = 1_000_000L;
    private static final long FAR = Long.MAX_VALUE / 4;

    private final RequestScope scope;
    private long electedMs;
    /** Null until a fetch has been read in this leader epoch. */
    private FetcherClock clock;
    /** Readings of that clock. */
    private long caughtUp;
    private long lastFetch;
    /** What the leader's process had been paused by then. */
    private long caughtUpPaused;
    private long lastFetchPaused;
    private long offset;
    private long brokerEpoch = -1;

    /** @param electedMs time of the leader's election for a member of the ISR, 0 for others */
    public ChargedFetches(FollowerReplica replica, RequestScope scope, long electedMs) {
        super(replica, scope.stats());
        this.scope = scope;
        this.electedMs = electedMs;
    }

    @Override
    void read(long fetchOffset, long leaderLeo) {
        FetcherConnection from = FetcherConnection.serving();
        if (from == null) {
            return;
        }
        if (clock != from.clockOfRequest()) {
            moveTo(from);
        }
        offset = fetchOffset;
        brokerEpoch = from.brokerEpoch();
        long now = from.chargedAtArrival();
        long paused = from.pausedAtArrival();
        if (fetchOffset >= leaderLeo) {
            caughtUp = now;
            caughtUpPaused = paused;
            releaseHold();
        } else if (FetchRule.isCaughtUp(fetchOffset, leaderLeo, previousLeaderLeo)) {
            caughtUp = lastFetch;
            caughtUpPaused = lastFetchPaused;
            releaseHold();
        }
        lastFetch = now;
        lastFetchPaused = paused;
    }

    @Override
    void forget(long caughtUpMs) {
        clock = null;
        electedMs = caughtUpMs;
    }

    @Override
    boolean holds(long nowMs, long maxLagMs) {
        long now = scope.nanos();
        long limit = maxLagMs * NANOS_PER_MS;
        if (clock == null) {
            FetcherConnection naming = scope.naming(replica, null, brokerEpoch);
            return sinceElection(nowMs) - (naming == null ? 0 : naming.ageNanos(now)) <= limit;
        }
        long unforgiven = now - scope.leaderClock().lived(now) - caughtUpPaused - FORGIVEN_LAGS * limit;
        long charged = clock.nanos(now) - caughtUp + Math.max(0, unforgiven);
        if (charged <= limit) {
            return true;
        }
        FetcherConnection naming = scope.naming(replica, clock, brokerEpoch);
        return naming != null && charged - naming.handsNanos(now) <= limit;
    }

    @Override
    public synchronized List<Map<String, Object>> snapshot() {
        FetcherConnection holding = scope.stopping(clock);
        if (holding == null) {
            holding = scope.naming(replica, clock, brokerEpoch);
        }
        if (holding == null) {
            return List.of();
        }
        // A request that does not name a partition of its session asks for the same offset as before.
        long named = holding.namedOffset(replica, brokerEpoch);
        return List.of(EventLog.fields("offset", named == FetchBody.NOT_NAMED ? offset : named,
            "leader_epoch", replica.leaderEpoch(), "age_ms", holding.ageNanos(scope.nanos()) / NANOS_PER_MS));
    }

    private long sinceElection(long nowMs) {
        return electedMs == NEVER ? FAR : (nowMs - electedMs) * NANOS_PER_MS;
    }

    /** The partition is read on another clock than before: what it was charged until now goes with it. */
    private void moveTo(FetcherConnection from) {
        long now = from.chargedAtArrival();
        if (clock == null) {
            caughtUp = now - Math.max(0, sinceElection(scope.millis()) - from.ageNanos(scope.nanos()));
            lastFetch = caughtUp;
            caughtUpPaused = from.pausedAtArrival();
            lastFetchPaused = caughtUpPaused;
        } else {
            long shift = now - from.atArrival(clock);
            caughtUp += shift;
            lastFetch += shift;
        }
        clock = from.clockOfRequest();
    }
}
