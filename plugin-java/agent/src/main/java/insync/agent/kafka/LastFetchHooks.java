package insync.agent.kafka;

import insync.agent.kafka.FetchState.LastFetch;
import insync.agent.weave.TypeHooks;

/** Makes readable what Kafka's Replica keeps to itself up to 2.8. Later versions show it in their ReplicaState. */
public final class LastFetchHooks extends TypeHooks {

    public LastFetchHooks() {
        super("kafka.cluster.Replica");
        getter("insync$lastFetchMs", long.class, "lastFetchTimeMs");
        getter("insync$lastFetchLeaderLeo", long.class, "lastFetchLeaderLogEndOffset");
        implement(LastFetch.class);
    }
}
