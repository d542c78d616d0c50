package insync.agent.v4_1;

import kafka.cluster.Partition;
import org.apache.kafka.common.requests.LeaderAndIsrRequest;
import org.apache.kafka.metadata.LeaderRecoveryState;

/** Solution 2 in 4.1: a partition's state is Scala still, and it is told of elections as it was before. */
final class KRaftStepDown extends JavaCacheStepDown {

    @Override
    public boolean isInFlight(Partition partition) {
        return partition.partitionState().isInflight();
    }

    @Override
    protected LeaderRecoveryState recovery(Partition partition) {
        return partition.partitionState().leaderRecoveryState();
    }

    @Override
    public int leaderEpoch(Object newState) {
        return ((LeaderAndIsrRequest.PartitionState) newState).leaderEpoch();
    }
}
