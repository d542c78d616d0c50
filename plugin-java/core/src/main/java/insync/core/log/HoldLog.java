package insync.core.log;

import insync.core.isr.FollowerReplica;
import insync.core.isr.Hold;
import insync.core.log.BrokerLog.Level;
import insync.core.log.BrokerLog.Name;

/** Logs each follower that begins or ends to stay in the ISR because of its pending fetch. */
public final class HoldLog implements Hold.Listener {
    private final BrokerLog log;

    public HoldLog(BrokerLog log) {
        this.log = log;
    }

    @Override
    public void held(Hold hold) {
        log.offer(Name.PENDING_READS, Level.INFO, () -> of(hold) + "stays in the ISR although it lags: "
            + why(hold.site(), hold.pendingMs()));
    }

    @Override
    public void released(Hold hold) {
        long heldMs = hold.ageMs();
        log.offer(Name.PENDING_READS, Level.INFO, () -> of(hold) + "is no longer kept in the ISR by its fetch, after "
            + heldMs + " ms");
    }

    private static String of(Hold hold) {
        FollowerReplica follower = hold.follower();
        return "[Partition " + follower.topic() + "-" + follower.partition() + "] Follower " + follower.replicaId() + " ";
    }

    private static String why(Hold.Site site, long pendingMs) {
        return site == Hold.Site.NONE ? "its last fetch has just been answered, or this process did not run (site none)"
            : "this leader has been processing its fetch for " + pendingMs + " ms (site " + site.word() + ")";
    }
}
