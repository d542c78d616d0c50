package insync.agent.v3_9;

import insync.agent.kafka.CommonAccess;
import insync.core.EventLog;
import insync.core.MessageLagRule;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import kafka.cluster.Partition;
import kafka.cluster.Replica;
import kafka.cluster.ReplicaState;
import kafka.server.ReplicaManager;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/** Replica, log, assignment and metadata cache are Scala; so they are in 4.0. */
public final class Access extends CommonAccess {

    @Override
    public Map<String, Object> fetchState(Object replica) {
        ReplicaState state = ((Replica) replica).stateSnapshot();
        return EventLog.fields("leo", state.logEndOffset(), "last_caught_up_ms", state.lastCaughtUpTimeMs(),
            "last_fetch_ms", state.lastFetchTimeMs());
    }

    @Override
    public boolean isOutOfSync(Object replica, MessageLagRule rule, long leaderLeo, long nowMs, long maxLagMs) {
        ReplicaState state = ((Replica) replica).stateSnapshot();
        // An election is heard of, too: until a first fetch it is all that is known of a follower.
        long heardMs = Math.max(state.lastFetchTimeMs(), state.lastCaughtUpTimeMs());
        return rule.isOutOfSync(state.logEndOffset(), heardMs, leaderLeo, nowMs, maxLagMs);
    }

    @Override
    public Collection<String> topics(ReplicaManager replicas) {
        return CollectionConverters.asJavaCollection(replicas.metadataCache().getAllTopics());
    }

    @Override
    public int partitions(ReplicaManager replicas, String topic) {
        Option<Object> known = replicas.metadataCache().numPartitions(topic);
        return known.isEmpty() ? 0 : (Integer) known.get();
    }

    @Override
    public List<Integer> replicas(Partition partition) {
        return CollectionConverters.asJava(partition.assignmentState().replicas()).stream()
            .map(id -> (Integer) id).collect(Collectors.toList());
    }

    @Override
    public long logEndOffset(Partition partition) {
        return partition.localLogOrException().logEndOffset();
    }

    @Override
    public long highWatermark(Partition partition) {
        return partition.localLogOrException().highWatermark();
    }

    @Override
    public long logStartOffset(Partition partition) {
        return partition.localLogOrException().logStartOffset();
    }
}
