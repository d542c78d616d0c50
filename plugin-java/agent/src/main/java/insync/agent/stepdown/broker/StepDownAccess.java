package insync.agent.stepdown.broker;

import insync.agent.kafka.BrokerAccess;
import java.util.Collection;
import java.util.List;
import kafka.cluster.Partition;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.metadata.LeaderRecoveryState;

/**
 * Reads the broker's state for a step-down, by types that differ between versions. No method waits or takes
 * leaderIsrUpdateLock.
 */
public interface StepDownAccess extends BrokerAccess {

    @Override
    default TopicPartition partition(Object key) {
        return ((TopicIdPartition) key).topicPartition();
    }

    /** Returns the other brokers that are live, unfenced and not shutting down. */
    int[] livePeers(ReplicaManager replicas);

    /** Returns who leads a partition and its ISR, as the broker's metadata says; without leader and ISR if it knows none. */
    Led led(ReplicaManager replicas, TopicPartition partition);

    /** Returns whether the broker's metadata names another broker as leader in a later epoch. */
    default boolean isLedElsewhere(ReplicaManager replicas, TopicPartition partition, int leaderEpoch) {
        Led now = led(replicas, partition);
        return now.epoch > leaderEpoch && now.leader >= 0 && now.leader != replicas.config().brokerId();
    }

    /** Returns whether an ISR change of the partition waits for the controller. */
    boolean isInFlight(Partition partition);

    LeaderRecoveryState recovery(Partition partition);

    /** Returns the high watermark of a partition that has its log here. */
    long highWatermark(Partition partition);

    /** Returns min.insync.replicas of a partition that has its log here. */
    int minIsr(Partition partition);

    /** Returns a follower's log end offset as its leader knows it. */
    long leo(Object replica);

    /** Returns the broker epoch in the follower's last fetch, or -1. */
    long brokerEpoch(Object replica);

    /** Returns the leader epoch of the first argument of makeFollower. */
    int leaderEpoch(Object newState);

    /** Who leads a partition. */
    final class Led {
        public static final Led UNKNOWN = new Led(-1, -1, List.of());

        final int leader;
        final int epoch;
        final Collection<Integer> isr;

        public Led(int leader, int epoch, Collection<Integer> isr) {
            this.leader = leader;
            this.epoch = epoch;
            this.isr = isr;
        }
    }
}
