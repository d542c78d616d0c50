package insync.agent.kafka;

import insync.agent.kafka.FetchState.LastFetch;
import insync.agent.weave.TypeHooks;
import net.bytebuddy.dynamic.DynamicType;

/** Makes readable what Kafka's Replica keeps to itself up to 2.8. Later versions show it in their ReplicaState. */
public final class LastFetchHooks extends TypeHooks {

    public LastFetchHooks() {
        super("kafka.cluster.Replica");
    }

    @Override
    public DynamicType.Builder<?> addMembers(DynamicType.Builder<?> builder) {
        return getter(getter(builder, "insync$lastFetchMs", long.class, "lastFetchTimeMs"),
            "insync$lastFetchLeaderLeo", long.class, "lastFetchLeaderLogEndOffset").implement(LastFetch.class);
    }
}
