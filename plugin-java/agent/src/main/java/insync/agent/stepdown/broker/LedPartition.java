package insync.agent.stepdown.broker;

import insync.agent.broker.KafkaBroker;
import insync.agent.isr.PartitionEvents;
import insync.agent.isr.ReplicaHooks.FollowerCarrier;
import insync.core.FollowerFetches;
import insync.core.stepdown.PartitionView;
import java.util.List;
import java.util.Set;
import kafka.cluster.Partition;
import scala.Option;

/** A partition that this broker leads, read off Kafka's volatile fields and ours. */
final class LedPartition implements PartitionView {
    private final Partition partition;
    private final StepDownAccess access;

    LedPartition(Partition partition, StepDownAccess access) {
        this.partition = partition;
        this.access = access;
    }

    Partition kafkaPartition() {
        return partition;
    }

    /** A deleted partition has no leader. */
    boolean isLed() {
        return partition.isLeader();
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
    public int leaderEpoch() {
        return partition.getLeaderEpoch();
    }

    @Override
    public long pendingSince(long before) {
        long oldest = FollowerFetches.NOT_PENDING;
        for (int id : assigned()) {
            long since = pendingSince(id, before);
            if (since != FollowerFetches.NOT_PENDING && (oldest == FollowerFetches.NOT_PENDING || since - oldest < 0)
                    && PartitionEvents.isr(partition).contains(id)) {
                oldest = since;
            }
        }
        return oldest;
    }

    private long pendingSince(int replicaId, long before) {
        Option<?> replica = partition.getReplica(replicaId);
        FollowerFetches fetches = replica.isEmpty() ? null : ((FollowerCarrier) replica.get()).insync$fetches();
        return fetches == null ? FollowerFetches.NOT_PENDING : fetches.pendingSince(before);
    }

    @Override
    public boolean isChanging() {
        return access.isInFlight(partition) || partition.isReassigning();
    }

    @Override
    public int[] isr() {
        Set<Integer> isr = PartitionEvents.isr(partition);
        return assigned().stream().filter(isr::contains).mapToInt(Integer::intValue).toArray();
    }

    @Override
    public int minIsr() {
        return access.minIsr(partition);
    }

    @Override
    public long leo(int replicaId) {
        Option<?> replica = partition.getReplica(replicaId);
        return replica.isEmpty() ? -1 : (Long) KafkaBroker.access().fetchState(replica.get()).get("leo");
    }

    /** Broker ids in the order of the assignment. */
    List<Integer> assigned() {
        return KafkaBroker.access().replicas(partition);
    }

    /** A follower's broker epoch, or -1 where it is not known, which the controller takes for "do not compare". */
    long brokerEpoch(int replicaId) {
        Option<?> replica = partition.getReplica(replicaId);
        return replica.isEmpty() ? -1 : access.brokerEpoch(replica.get());
    }
}
