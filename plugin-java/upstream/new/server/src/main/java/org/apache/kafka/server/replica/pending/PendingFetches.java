package org.apache.kafka.server.replica.pending;

import org.apache.kafka.common.network.Send;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.config.ReplicationConfigs;
import org.apache.kafka.server.replica.Replica;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Keeps followers of this broker in sync while it processes their fetches (KIP-501, solution 1). At most one scope is on:
 * {@link ReadScope} or {@link RequestScope}. When the configs are updated, a scope that is turned off stays in effect for
 * the fetches that were pending then.
 */
public final class PendingFetches implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PendingFetches.class);
    private static final ThreadLocal<NetworkThread> NETWORK_THREAD = new ThreadLocal<>();

    private final Clock clock;
    private final long lagTimeMaxMs;
    private final Stats stats = new Stats();
    private final ReadConnections readConnections = new ReadConnections();
    private final PendingListener listener = new LogOutlived();
    private final List<DrainedScope> draining = new CopyOnWriteArrayList<>();
    private volatile ReadScope readScope;
    private volatile RequestScope requestScope;
    private volatile boolean everOn;

    /**
     * @param lagTimeMaxMs replica.lag.time.max.ms
     */
    public PendingFetches(Time time, long lagTimeMaxMs) {
        this.clock = new TimeClock(time);
        this.lagTimeMaxMs = lagTimeMaxMs;
    }

    /** Turns the scopes on and off as the configs say. */
    public synchronized void configure(boolean enabled, String scope) {
        boolean read = enabled && scope.equals(ReplicationConfigs.PENDING_READS_SCOPE_READ);
        boolean request = enabled && scope.equals(ReplicationConfigs.PENDING_READS_SCOPE_REQUEST);
        everOn |= enabled;
        if (read != (readScope != null)) {
            ReadScope off = readScope;
            readScope = read ? new ReadScope(clock, stats, listener) : null;
            if (off != null) {
                draining.add(DrainedScope.of(off, clock, off.drainMs(lagTimeMaxMs)));
            }
        }
        if (request != (requestScope != null)) {
            RequestScope off = requestScope;
            requestScope = request ? startRequestScope() : null;
            if (off != null) {
                off.turnOff();
                draining.add(DrainedScope.of(off, stats, clock, 2 * Math.min(lagTimeMaxMs, Millis.MOST)));
            }
        }
    }

    private RequestScope startRequestScope() {
        LeaderClock leaderClock = new LeaderClock(clock);
        leaderClock.start(failed -> LOG.error("A tick of the leader's clock failed", failed));
        stats.leaderClock(leaderClock);
        return new RequestScope(clock, leaderClock, stats, listener, new NamedPartitions());
    }

    /** Ends the scopes that were turned off and have no effect any more. Called with each check of the ISRs. */
    public void endDrained() {
        draining.removeIf(DrainedScope::endIfDrained);
    }

    @Override
    public synchronized void close() {
        configure(false, "");
        draining.forEach(DrainedScope::end);
        draining.clear();
    }

    public Stats stats() {
        return stats;
    }

    /** Returns whether a scope is on, or was on since the broker started. */
    public boolean isEverOn() {
        return everOn;
    }

    // Visible for testing: scope "request", or null if it is off
    public RequestScope requestScope() {
        return requestScope;
    }

    // Scope "read"

    /** Returns the follower's fetch that begins now, whose partitions are not marked yet; null if scope "read" is off. */
    public PendingFetch begin(long maxWaitMs) {
        ReadScope scope = readScope;
        return scope == null ? null : new PendingFetch(scope, maxWaitMs, readConnections);
    }

    // Scope "request", on a network thread

    /** Returns what measures this network thread, or null if scope "request" is off. */
    public NetworkThread networkThread() {
        RequestScope scope = requestScope;
        if (scope == null) {
            return null;
        }
        NetworkThread thread = NETWORK_THREAD.get();
        if (thread == null || !scope.registered(thread)) {
            thread = scope.networkThread();
            NETWORK_THREAD.set(thread);
        }
        return thread;
    }

    /**
     * Notes that a fetch has arrived on this network thread.
     *
     * @return the follower's connection, or null if it is a consumer's fetch or the scope was turned off meanwhile
     */
    public FetcherConnection arrived(NetworkThread thread, RequestContext context, FetchRequest fetch) {
        RequestScope scope = requestScope;
        return scope == null || !scope.registered(thread) || !fetch.isFromFollower() ? null
            : arrived(scope, thread, context, fetch);
    }

    private static FetcherConnection arrived(RequestScope scope, NetworkThread thread, RequestContext context,
                                             FetchRequest fetch) {
        FetcherConnection connection =
            scope.connection(context.connectionId, fetch.replicaId(), context.principal, thread);
        boolean startsSession = fetch.metadata().isFull();
        if (startsSession) {
            connection.sessionKnown();
        }
        connection.arrived(fetch, fetch.replicaEpoch(),
            startsSession || !fetch.data().forgottenTopicsData().isEmpty(), fetch.maxWait());
        return connection;
    }

    /**
     * Returns the response to a fetch such that its writes are measured.
     *
     * @param connection the follower's, or null for a consumer's fetch
     */
    public Send tracked(Send send, FetcherConnection connection) {
        NetworkThread thread = NETWORK_THREAD.get();
        return thread == null && connection == null || !isTracking() ? send : new FetchSend(send, thread, connection);
    }

    private boolean isTracking() {
        return requestScope != null || !draining.isEmpty();
    }

    /** Releases the pending fetch of a connection that is lost, in both scopes. */
    public void disconnected(String connectionId) {
        if (!everOn) {
            return;
        }
        readConnections.disconnected(connectionId);
        RequestScope scope = requestScope;
        if (scope != null) {
            scope.disconnected(connectionId);
        }
        draining.forEach(old -> old.disconnected(connectionId));
    }

    // Scope "request", on a request handler thread

    /** Notes that the leader has accepted a fetch of the connection and is about to record what it read for a replica. */
    public void accepted(FetcherConnection connection, Replica replica, LedPartition partition) {
        RequestScope scope = connection.scope();
        scope.accepted(connection);
        if (scope.isOn()) {
            tracker(scope, replica, partition);
        }
    }

    /** Starts to track a follower of a partition that this broker leads from now on. */
    public void led(Replica replica, LedPartition partition) {
        RequestScope scope = requestScope;
        if (scope != null) {
            tracker(scope, replica, partition);
        }
    }

    /** Notes that a fetch session that began before the scope includes a replica. */
    public void inSession(FetcherConnection connection, Replica replica, LedPartition partition) {
        tracker(connection.scope(), replica, partition).inSession(connection);
    }

    private static RequestScopeTracker tracker(RequestScope scope, Replica replica, LedPartition partition) {
        FollowerTracker known = replica.fetchTracker();
        return (RequestScopeTracker) (known != null && known.isOf(scope) ? known : replica.fetchTracker(scope,
            earlier -> new RequestScopeTracker(new PartitionFollower(partition, replica.brokerId()), scope,
                replica.electedTimeMs(), earlier)));
    }

    /**
     * Returns whether a follower stays in sync although it was not caught up for replica.lag.time.max.ms.
     *
     * @param nowMs the broker's time
     */
    public boolean keepsInSync(Replica replica, LedPartition partition, long nowMs, long maxLagMs) {
        RequestScope scope = requestScope;
        FollowerTracker tracker = scope == null ? replica.fetchTracker() : tracker(scope, replica, partition);
        return tracker != null && tracker.holdsInSync(nowMs, maxLagMs);
    }

    /** Logs each fetch that has been pending for too long to keep its follower in sync. */
    private static final class LogOutlived implements PendingListener {

        @Override
        public void released(int replicaId, String topic, int partition, long pendingNanos) {
            // The metrics of requests have it.
        }

        @Override
        public void outlived(int replicaId, String topic, int partition, long pendingNanos) {
            LOG.warn("A fetch of replica {} for {}-{} has been pending for {} ms and no longer keeps its follower in sync",
                replicaId, topic, partition, pendingNanos / 1_000_000L);
        }
    }
}
