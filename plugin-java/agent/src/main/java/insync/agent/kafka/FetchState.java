package insync.agent.kafka;

import insync.agent.kafka.FetchState.LastFetch;
import insync.agent.weave.TypeHooks;
import insync.core.events.EventLog;
import java.util.Map;

/** Names what a leader knows of a follower: the five items that KIP-501 lists, in its order. */
public final class FetchState {

    private FetchState() { }

    /**
     * Returns the state as it goes into events and over the bridge. Until the first fetch the values are Kafka's own: -1
     * or 0.
     */
    public static Map<String, Object> of(long logStartOffset, long leo, long lastFetchLeaderLeo, long lastFetchMs,
                                         long lastCaughtUpMs) {
        return EventLog.fields("log_start_offset", logStartOffset, "leo", leo,
            "last_fetch_leader_leo", lastFetchLeaderLeo, "last_fetch_ms", lastFetchMs,
            "last_caught_up_ms", lastCaughtUpMs);
    }

    /** Gives access to the fields that Kafka's Replica keeps to itself up to 2.8. */
    public interface LastFetch {

        /** Returns the time of the last fetch, milliseconds since the epoch. */
        long insync$lastFetchMs();

        /** Returns the leader's log end offset at the last fetch. */
        long insync$lastFetchLeaderLeo();
    }

    /** Makes readable what Kafka's Replica keeps to itself up to 2.8. Later versions show it in their ReplicaState. */
    public static final class LastFetchHooks extends TypeHooks {

        public LastFetchHooks() {
            super("kafka.cluster.Replica");
            getter("insync$lastFetchMs", long.class, "lastFetchTimeMs");
            getter("insync$lastFetchLeaderLeo", long.class, "lastFetchLeaderLogEndOffset");
            implement(LastFetch.class);
        }
    }
}
