package insync.lab.view;

import insync.core.events.EventLog;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Map;

/** Reads what only the lab shows of a broker: by name, because its types differ between versions. */
public final class FetchState {

    private FetchState() { }

    /**
     * Returns what a leader knows of a follower: the five items that KIP-501 lists, in its order. Until the first fetch the values are
     * Kafka's own: -1 or 0.
     *
     * @param state Kafka's ReplicaState; up to 2.8 its Replica
     * @param leo the follower's log end offset
     */
    public static Map<String, Object> of(Object state, long leo) {
        return EventLog.fields("log_start_offset", read(state, "logStartOffset"), "leo", leo,
            "last_fetch_leader_leo", read(state, "lastFetchLeaderLogEndOffset"), "last_fetch_ms", read(state, "lastFetchTimeMs"),
            "last_caught_up_ms", read(state, "lastCaughtUpTimeMs"));
    }

    /** The same of a Replica from 2.8 on. */
    public static Map<String, Object> of(Object replica) {
        Object state = method(replica, "stateSnapshot") != null ? read(replica, "stateSnapshot") : replica;
        return of(state, (Long) read(state, "logEndOffset"));
    }

    /** Returns a public method without parameters, or null: a lookup, because a lag policy reads each follower in each check of ISRs. */
    private static Method method(Object of, String name) {
        try {
            return of.getClass().getMethod(name);
        } catch (NoSuchMethodException none) {
            return null;
        }
    }

    /** Returns the value of a method without parameters, or of a field that is private: that of the last fetch up to 2.8. */
    static Object read(Object of, String name) {
        try {
            Method method = method(of, name);
            if (method != null) {
                return method.invoke(of);
            }
            Field field = of.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return field.get(of);
        } catch (ReflectiveOperationException unlike) {
            throw new LinkageError(of.getClass() + " has no " + name, unlike);
        }
    }
}
