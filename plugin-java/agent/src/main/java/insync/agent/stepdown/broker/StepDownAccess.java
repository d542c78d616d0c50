package insync.agent.stepdown.broker;

import insync.agent.kafka.BrokerAccess;
import java.util.Collection;
import kafka.cluster.Partition;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.metadata.LeaderRecoveryState;

/**
 * Reads the broker's state for a step-down, by types that differ between versions. No method waits or takes
 * leaderIsrUpdateLock.
 */
public interface StepDownAccess extends BrokerAccess {

    /** Returns the other brokers that are live, unfenced and not shutting down. */
    int[] livePeers(ReplicaManager replicas);

    /** Returns whether the broker's metadata names another broker as leader in a later epoch. */
    boolean isLedElsewhere(ReplicaManager replicas, TopicPartition partition, int leaderEpoch);

    /** Returns the leader of a partition as the broker's metadata says, -1 if it knows none. */
    int leader(ReplicaManager replicas, TopicPartition partition);

    /** Returns the ISR of a partition as the broker's metadata says, empty if it knows none. */
    Collection<Integer> isr(ReplicaManager replicas, TopicPartition partition);

    /** Returns whether an ISR change of the partition waits for the controller. */
    boolean isInFlight(Partition partition);

    LeaderRecoveryState recovery(Partition partition);

    /** Returns min.insync.replicas of a partition that has its log here. */
    int minIsr(Partition partition);

    /** Returns the broker epoch in the follower's last fetch, or -1. */
    long brokerEpoch(Object replica);

    /** Returns the leader epoch of the first argument of makeFollower. */
    int leaderEpoch(Object newState);
}
