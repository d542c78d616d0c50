package insync.agent.v3_6;

import insync.agent.weave.Hook;
import java.util.List;

/**
 * Weaves Kafka's Replica, which in 3.6 records a fetch whatever its broker epoch, and without the partition's lock: an election
 * may come in between.
 */
final class ReplicaHooks extends insync.agent.isr.ReplicaHooks {

    ReplicaHooks() {
        super(TYPE);
    }

    @Override
    public List<Hook> hooks() {
        return List.of(on("updateFetchState", UpdateFetchState.class), on("resetReplicaState", ResetReplicaState.class));
    }
}
