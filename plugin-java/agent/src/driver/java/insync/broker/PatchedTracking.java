package insync.broker;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import kafka.network.RequestChannel;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.network.Send;

/** Reads the tracking of the source patch by reflection, because the driver is compiled against Kafka's own jars. */
final class PatchedTracking implements Tracking {
    private static final String PENDING_FETCHES = "pendingFetches";

    private final Object pendingFetches;
    private final RequestChannel queue;

    /** Connects the two as the start of a broker does. */
    PatchedTracking(ReplicaManager replicas, RequestChannel queue) {
        this.pendingFetches = call(replicas, PENDING_FETCHES);
        this.queue = queue;
        call(queue, PENDING_FETCHES + "_$eq", pendingFetches);
    }

    /** Returns whether a broker's classes are patched. */
    static boolean isIn(ReplicaManager replicas) {
        return find(replicas, PENDING_FETCHES, 0) != null;
    }

    @Override
    public void tick() {
        Object scope = call(pendingFetches, "requestScope");
        if (scope != null) {
            call(call(scope, "leaderClock"), "tick");
        }
    }

    @Override
    @SuppressWarnings("unchecked")
    public Map<String, Object> stats() {
        return (Map<String, Object>) call(call(pendingFetches, "stats"), "toMap");
    }

    @Override
    @SuppressWarnings("unchecked")
    public List<Map<String, Object>> pending(Object replica) {
        Object tracker = call(replica, "fetchTracker");
        return tracker == null ? List.of() : (List<Map<String, Object>>) call(tracker, "snapshot");
    }

    @Override
    public Send tracked(RequestChannel.Request request, Send send) {
        return (Send) call(queue, "trackedSend", request, send);
    }

    @Override
    public void disconnected(String connection) {
        call(queue, "disconnected", connection);
    }

    private static Object call(Object target, String name, Object... arguments) {
        try {
            return find(target, name, arguments.length).invoke(target, arguments);
        } catch (IllegalAccessException | InvocationTargetException failed) {
            throw new IllegalStateException(name, failed);
        }
    }

    private static Method find(Object target, String name, int parameters) {
        return Arrays.stream(target.getClass().getMethods())
            .filter(method -> method.getName().equals(name) && method.getParameterCount() == parameters)
            .findFirst().orElse(null);
    }
}
