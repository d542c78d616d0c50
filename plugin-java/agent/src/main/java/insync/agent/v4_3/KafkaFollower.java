package insync.agent.v4_3;

import insync.core.FollowerReplica;
import java.util.concurrent.atomic.AtomicReference;
import kafka.cluster.Partition;
import org.apache.kafka.server.replica.ReplicaState;

/** Kafka's Replica, with the Partition it belongs to, as the core sees it. */
final class KafkaFollower implements FollowerReplica {
    private final Partition partition;
    private final int replicaId;
    private final AtomicReference<ReplicaState> state;

    KafkaFollower(Partition partition, int replicaId, AtomicReference<ReplicaState> state) {
        this.partition = partition;
        this.replicaId = replicaId;
        this.state = state;
    }

    @Override
    public String topic() {
        return partition.topic();
    }

    @Override
    public int partition() {
        return partition.partitionId();
    }

    @Override
    public int replicaId() {
        return replicaId;
    }

    @Override
    public int leaderEpoch() {
        return partition.getLeaderEpoch();
    }

    @Override
    public void caughtUpAt(long timeMs) {
        ReplicaState now = state.get();
        while (timeMs > now.lastCaughtUpTimeMs() && !state.compareAndSet(now, withCaughtUp(now, timeMs))) {
            now = state.get();
        }
    }

    private static ReplicaState withCaughtUp(ReplicaState state, long timeMs) {
        return new ReplicaState(state.logStartOffset(), state.logEndOffsetMetadata(),
            state.lastFetchLeaderLogEndOffset(), state.lastFetchTimeMs(), timeMs, state.brokerEpoch());
    }
}
