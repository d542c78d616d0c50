package insync.agent.v4_2;

import insync.agent.v4_1.JavaCacheStepDown;
import kafka.cluster.Partition;
import org.apache.kafka.metadata.LeaderRecoveryState;
import org.apache.kafka.metadata.PartitionRegistration;

/** Solution 2 from 4.2 on, where all that it needs is Java. */
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
        return ((PartitionRegistration) newState).leaderEpoch;
    }
}
