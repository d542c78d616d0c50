package insync.agent.v4_1;

import insync.agent.kafka.CommonAccess;
import insync.core.EventLog;
import insync.core.MessageLagRule;
import java.util.Collection;
import java.util.Map;
import kafka.cluster.Partition;
import kafka.server.ReplicaManager;
import org.apache.kafka.server.replica.Replica;
import org.apache.kafka.server.replica.ReplicaState;

/** Replica, log and metadata cache as they are from 4.1 on: in Java. */
public abstract class JavaAccess extends CommonAccess {

    @Override
    public final Map<String, Object> fetchState(Object replica) {
        ReplicaState state = ((Replica) replica).stateSnapshot();
        return EventLog.fields("leo", state.logEndOffset(), "last_caught_up_ms", state.lastCaughtUpTimeMs(),
            "last_fetch_ms", state.lastFetchTimeMs());
    }

    @Override
    public final boolean isOutOfSync(Object replica, MessageLagRule rule, long leaderLeo, long nowMs, long maxLagMs) {
        ReplicaState state = ((Replica) replica).stateSnapshot();
        // An election is heard of, too: until a first fetch it is all that is known of a follower.
        long heardMs = Math.max(state.lastFetchTimeMs(), state.lastCaughtUpTimeMs());
        return rule.isOutOfSync(state.logEndOffset(), heardMs, leaderLeo, nowMs, maxLagMs);
    }

    @Override
    public final Collection<String> topics(ReplicaManager replicas) {
        return replicas.metadataCache().getAllTopics();
    }

    @Override
    public final int partitions(ReplicaManager replicas, String topic) {
        return replicas.metadataCache().numPartitions(topic).orElse(0);
    }

    @Override
    public final long logEndOffset(Partition partition) {
        return partition.localLogOrException().logEndOffset();
    }

    @Override
    public final long highWatermark(Partition partition) {
        return partition.localLogOrException().highWatermark();
    }

    @Override
    public final long logStartOffset(Partition partition) {
        return partition.localLogOrException().logStartOffset();
    }
}
