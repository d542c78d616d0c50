package insync.core.log;

import insync.core.events.EventLog;
import insync.core.isr.FollowerReplica;
import insync.core.isr.Hold;
import insync.core.log.BrokerLog.Level;
import insync.core.log.BrokerLog.Name;
import java.util.Map;

/** Logs each follower that begins or ends to stay in the ISR because of its pending fetch, and emits an event for it. */
public final class HoldReport implements Hold.Listener {
    private final BrokerLog log;
    private final EventLog events;

    public HoldReport(BrokerLog log, EventLog events) {
        this.log = log;
        this.events = events;
    }

    @Override
    public void held(Hold hold) {
        log.offer(Name.PENDING_READS, Level.INFO, () -> of(hold) + "stays in the ISR although it lags: "
            + why(hold.site, hold.pendingMs()));
        emit("hold", hold, "pending_ms", hold.pendingMs());
    }

    @Override
    public void released(Hold hold) {
        long heldMs = hold.ageMs();
        log.offer(Name.PENDING_READS, Level.INFO, () -> of(hold) + "is no longer kept in the ISR by its fetch, after "
            + heldMs + " ms");
        emit("hold_ended", hold, "held_ms", heldMs);
    }

    private void emit(String type, Hold hold, String time, long ms) {
        if (events.isOn()) {
            FollowerReplica follower = hold.follower;
            Map<String, Object> fields = EventLog.fields("topic", follower.topic(), "partition", follower.partition(),
                "replica", follower.replicaId(), "site", EventLog.word(hold.site), time, ms);
            events.emit(type, fields);
        }
    }

    private static String of(Hold hold) {
        FollowerReplica follower = hold.follower;
        return "[Partition " + follower.topic() + "-" + follower.partition() + "] Follower " + follower.replicaId() + " ";
    }

    private static String why(Hold.Site site, long pendingMs) {
        return site == Hold.Site.NONE ? "its last fetch has just been answered, or this process did not run (site none)"
            : "this leader has been processing its fetch for " + pendingMs + " ms (site " + EventLog.word(site) + ")";
    }
}
