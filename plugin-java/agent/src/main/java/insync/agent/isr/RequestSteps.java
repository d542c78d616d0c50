package insync.agent.isr;

import insync.agent.broker.Brokers;
import insync.agent.isr.ReplicaHooks.FollowerCarrier;
import insync.agent.isr.RequestHooks.RequestCarrier;
import insync.core.isr.FetcherConnection;
import insync.core.isr.FollowerTracker;
import insync.core.isr.NetworkThread;
import insync.core.isr.RequestScope;
import insync.core.isr.RequestScopeTracker;
import kafka.cluster.Partition;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.FetchRequest;
import scala.Tuple2;
import scala.collection.Iterator;
import scala.collection.Seq;

/**
 * Passes the steps of a request to scope "request", from its arrival on a network thread to the end of its
 * response. Advices call it only if a broker of this JVM runs the scope.
 */
public final class RequestSteps {
    private static final ThreadLocal<NetworkThread> THREAD = new ThreadLocal<>();

    private RequestSteps() { }

    /**
     * Notes that a network thread is about to queue a request. If the queue is full, this blocks the thread.
     *
     * @return the network thread of the caller, which calls {@link NetworkThread#leaveCall} afterwards
     */
    public static NetworkThread arrived(RequestScope scope, RequestCarrier request) {
        NetworkThread thread = THREAD.get();
        if (thread == null || !scope.registered(thread)) {
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
        FetcherConnection connection = scope.connection(request.context().connectionId, fetch.replicaId(),
            request.context().principal, thread);
        boolean startsSession = fetch.metadata().isFull();
        if (startsSession) {
            connection.sessionKnown = true;
        }
        connection.arrived(request, fetch.replicaEpoch(),
            startsSession || !fetch.data().forgottenTopicsData().isEmpty(), fetch.maxWait());
        request.insync$fetcher(connection);
    }

    /** Notes that a handler thread begins to serve a request; returns null unless it is a follower's fetch. */
    public static FetcherConnection serve(RequestCarrier request) {
        FetcherConnection connection = request.insync$fetcher();
        if (connection != null) {
            connection.serve();
        }
        return connection;
    }

    /**
     * Notes that this thread is about to read the partitions of a fetch. If their session began before the scope, its
     * trackers learn here which partitions it includes, before a read can stall.
     */
    public static void fetching(ReplicaManager replicas,
                                Seq<? extends Tuple2<?, FetchRequest.PartitionData>> partitions) {
        FetcherConnection connection = FetcherConnection.serving();
        if (connection == null || connection.sessionKnown || !connection.scope.isOn()) {
            return;
        }
        connection.sessionKnown = true;
        Iterator<? extends Tuple2<?, FetchRequest.PartitionData>> each = partitions.iterator();
        while (each.hasNext()) {
            Tuple2<?, FetchRequest.PartitionData> one = each.next();
            FollowerTracker fetches = Followers.fetched(replicas, one._1(), one._2(), connection.follower, connection.scope);
            if (fetches != null) {
                ((RequestScopeTracker) fetches).inSession(connection);
            }
        }
    }

    /** Notes that the leader has accepted and read a partition of the fetch that this thread serves. */
    public static void reading(Partition partition, Object replica) {
        FetcherConnection connection = FetcherConnection.serving();
        if (connection != null) {
            RequestScope scope = connection.scope;
            scope.accepted(connection);
            if (scope.isOn()) {
                Followers.tracker(partition, connection.follower, (FollowerCarrier) replica, scope);
            }
        }
    }

    /**
     * Notes that this thread begins a file-to-socket transfer.
     *
     * @param destination Kafka's channel to the socket
     * @return null unless it is a network thread of a broker with the scope
     */
    public static NetworkThread enterTransfer(Object destination) {
        NetworkThread thread = Brokers.anyRequestScope() ? THREAD.get() : null;
        if (thread != null) {
            thread.enterCall(destination);
        }
        return thread;
    }

    /** Notes that a socket took only part of a response; returns null unless that answers a follower's fetch. */
    public static FetcherConnection socketFull(String connectionId) {
        for (RequestScope scope : Brokers.requestScopes()) {
            FetcherConnection connection = scope.find(connectionId);
            if (connection != null && connection.socketFull()) {
                return connection;
            }
        }
        return null;
    }

    /** Releases the pending fetch of a connection that is lost. */
    public static void disconnected(String connectionId) {
        Brokers.requestScopes().forEach(scope -> scope.disconnected(connectionId));
    }
}
