package insync.broker;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.server.purgatory.DelayedOperation;
import org.apache.kafka.server.util.timer.Timer;
import org.apache.kafka.server.util.timer.TimerTask;

/** A timer for waiting fetches whose waits end when a test ends them. */
final class ManualTimer implements Timer {
    private final Map<String, DelayedOperation> waits = new HashMap<>();
    private String connection;

    /** Sets the connection of the waits that are added next. */
    void owner(String id) {
        connection = id;
    }

    boolean isWaiting(String id) {
        DelayedOperation wait = waits.get(id);
        return wait != null && !wait.isCompleted();
    }

    /** Ends the wait of a connection's fetch; runs the task in the calling thread. */
    void expire(String id) {
        waits.remove(id).run();
    }

    @Override
    public void add(TimerTask task) {
        waits.put(connection, (DelayedOperation) task);
    }

    @Override
    public boolean advanceClock(long timeoutMs) {
        return false;
    }

    @Override
    public int size() {
        return waits.size();
    }

    @Override
    public void close() { }
}
