package insync.agent.kafka;

import kafka.cluster.Partition;

/** Adapts Kafka's Partition to the core. */
public class KafkaPartition {
    private final Partition partition;

    public KafkaPartition(Partition partition) {
        this.partition = partition;
    }

    public final Partition kafkaPartition() {
        return partition;
    }

    public final String topic() {
        return partition.topic();
    }

    public final int partition() {
        return partition.partitionId();
    }

    public final int leaderEpoch() {
        return partition.getLeaderEpoch();
    }

    /** Returns whether this broker leads the partition; a deleted partition has no leader. */
    public final boolean isLed() {
        return partition.isLeader();
    }
}
