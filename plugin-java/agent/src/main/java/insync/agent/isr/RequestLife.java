package insync.agent.isr;

import insync.agent.kafka.KafkaClock;
import insync.agent.isr.ReplicaHooks.FollowerCarrier;
import insync.agent.isr.RequestChannelHooks.ChannelCarrier;
import insync.agent.isr.RequestHooks.RequestCarrier;
import insync.core.Clock;
import insync.core.FetcherConnection;
import insync.core.Insync;
import insync.core.LeaderClock;
import insync.core.NetworkThread;
import insync.core.PendingReport;
import insync.core.RequestScope;
import kafka.cluster.Partition;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.utils.Time;

/**
 * Scope "request": the stations of a request's life in the broker, from its arrival on a network thread to the
 * end of its response. Only brokers that run this scope are known here; without one every station returns at once.
 */
public final class RequestLife {
    private static final ThreadLocal<NetworkThread> THREAD = new ThreadLocal<>();

    private RequestLife() { }

    /** Whether any broker of this JVM runs the scope. */
    public static boolean active() {
        return RequestScopes.active();
    }

    /**
     * A broker's socket server is made.
     *
     * @param channel where its requests wait for a handler
     * @return what the hot path of this scope needs, or null where it is off
     */
    public static RequestScope started(KafkaConfig config, Time time, ChannelCarrier channel) {
        if (!Settings.isOn(config, Settings.REQUEST)) {
            return null;
        }
        Insync insync = Insync.current();
        Clock clock = new KafkaClock(time);
        LeaderClock leaderClock = new LeaderClock(clock);
        leaderClock.start();
        insync.stats().leaderClock(leaderClock);
        PendingReport report = new PendingReport(insync.events(), insync.stats(), Settings.lagTimeMaxMs(config));
        report.start();
        RequestScope scope = new RequestScope(clock, leaderClock, insync.stats(), report, new NamedPartitions());
        channel.insync$scope(scope);
        RequestScopes.add(config.brokerId(), scope, channel);
        return scope;
    }

    /** The scope of a broker, or null where it is off. */
    public static RequestScope scope(int brokerId) {
        return RequestScopes.of(brokerId);
    }

    /** Where a broker's requests wait for a handler, or null where the scope is off. */
    public static ChannelCarrier channel(int brokerId) {
        return RequestScopes.channel(brokerId);
    }

    /** A broker's socket server has stopped. */
    public static void stopped(KafkaConfig config) {
        RequestScopes.remove(config.brokerId());
    }

    /**
     * A request is about to be queued, which may take its time when the queue is full.
     *
     * @return the network thread that runs this, to {@link NetworkThread#leaveCall leave} afterwards
     */
    public static NetworkThread arrived(RequestScope scope, RequestCarrier request) {
        NetworkThread thread = THREAD.get();
        if (thread == null) {
            thread = scope.networkThread();
            THREAD.set(thread);
        }
        if (request.header().apiKey() == ApiKeys.FETCH) {
            arrived(scope, thread, request, (FetchRequest) request.loggableRequest());
        }
        thread.enterCall(null);
        return thread;
    }

    private static void arrived(RequestScope scope, NetworkThread thread, RequestCarrier request,
                                FetchRequest fetch) {
        if (fetch.replicaId() < 0) {
            return;
        }
        FetcherConnection connection = scope.connection(request.context().connectionId, fetch.replicaId(), thread);
        connection.arrived(request, fetch.replicaEpoch(),
            fetch.metadata().isFull() || !fetch.data().forgottenTopicsData().isEmpty());
        request.insync$fetcher(connection);
    }

    /** A handler thread begins to serve a request; null unless it is a follower's fetch. */
    public static FetcherConnection serve(RequestCarrier request) {
        FetcherConnection connection = request.insync$fetcher();
        if (connection != null) {
            connection.serve();
        }
        return connection;
    }

    /** The leader has read a partition for the fetch that this thread serves. */
    public static void reading(Partition partition, Object replica) {
        FetcherConnection connection = FetcherConnection.serving();
        if (connection != null) {
            Followers.charged(partition, connection.follower(), (FollowerCarrier) replica, connection.scope());
        }
    }

    /**
     * This thread begins a file-to-socket transfer; null unless it is a network thread of a broker with the scope.
     *
     * @param destination Kafka's channel to the socket
     */
    public static NetworkThread enterTransfer(Object destination) {
        NetworkThread thread = active() ? THREAD.get() : null;
        if (thread != null) {
            thread.enterCall(destination);
        }
        return thread;
    }

    /** A socket took only part of a response; null unless the response is for a follower's fetch. */
    public static FetcherConnection socketFull(String connectionId) {
        for (RequestScope scope : RequestScopes.all()) {
            FetcherConnection connection = scope.find(connectionId);
            if (connection != null) {
                connection.socketFull();
                return connection;
            }
        }
        return null;
    }

    public static void disconnected(String connectionId) {
        for (RequestScope scope : RequestScopes.all()) {
            scope.disconnected(connectionId);
        }
    }
}
