package insync.agent.isr;

import insync.core.FollowerReplica;
import kafka.cluster.Partition;

/** A follower of Kafka's Partition, as the core sees it. */
public final class KafkaFollower implements FollowerReplica {
    private final Partition partition;
    private final int replicaId;

    public KafkaFollower(Partition partition, int replicaId) {
        this.partition = partition;
        this.replicaId = replicaId;
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

    Partition kafkaPartition() {
        return partition;
    }
}
