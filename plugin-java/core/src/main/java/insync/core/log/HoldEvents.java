package insync.core.log;

import insync.core.events.EventLog;
import insync.core.isr.FollowerReplica;
import insync.core.isr.Hold;
import java.util.Map;

/**
 * Emits an event for each follower that begins to stay in the ISR because of its pending fetch, with the site of that
 * fetch, and one for its end.
 */
public final class HoldEvents implements Hold.Listener {
    private final EventLog events;

    public HoldEvents(EventLog events) {
        this.events = events;
    }

    @Override
    public void held(Hold hold) {
        if (events.isOn()) {
            events.emit("hold", of(hold, "pending_ms", hold.pendingMs()));
        }
    }

    @Override
    public void released(Hold hold) {
        if (events.isOn()) {
            events.emit("hold_ended", of(hold, "held_ms", hold.ageMs()));
        }
    }

    private static Map<String, Object> of(Hold hold, String time, long ms) {
        FollowerReplica follower = hold.follower();
        return EventLog.fields("topic", follower.topic(), "partition", follower.partition(),
            "replica", follower.replicaId(), "site", hold.site().word(), time, ms);
    }
}
