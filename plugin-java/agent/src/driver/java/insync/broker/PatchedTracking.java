package insync.broker;

import insync.core.events.EventLog;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.replica.Replica;

/** Reads the tracking of the source patch by reflection, because the driver is compiled against Kafka's own jars. */
final class PatchedTracking implements Tracking {
    private static final String PENDING_FETCHES = "pendingFetches";

    private final Time time;

    PatchedTracking(Time time) {
        this.time = time;
    }

    /** Returns whether this JVM's Kafka is patched. */
    static boolean isInKafka() {
        return Arrays.stream(Replica.class.getDeclaredFields()).anyMatch(field -> field.getName().equals(PENDING_FETCHES));
    }

    @Override
    public void tick() {
        // The patch compares times.
    }

    /** The patch has no counts. */
    @Override
    public Map<String, Object> stats() {
        return null;
    }

    @Override
    public List<Map<String, Object>> pending(Object replica) {
        List<Map<String, Object>> pending = new ArrayList<>();
        for (Object fetch : (List<?>) get(replica, PENDING_FETCHES)) {
            pending.add(EventLog.fields("offset", get(fetch, "fetchOffset"),
                "age_ms", time.hiResClockMs() - (Long) get(fetch, "startTimeMs")));
        }
        return pending;
    }

    private static Object get(Object target, String name) {
        try {
            Field field = target.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return field.get(target);
        } catch (ReflectiveOperationException failed) {
            throw new IllegalStateException(name, failed);
        }
    }
}
