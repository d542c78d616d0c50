package insync.agent.kafka;

import kafka.cluster.Partition;

/** Adapts Kafka's Partition to the core. */
public class KafkaPartition {
    public final Partition kafka;

    public KafkaPartition(Partition partition) {
        this.kafka = partition;
    }

    public final String topic() {
        return kafka.topic();
    }

    public final int partition() {
        return kafka.partitionId();
    }

    public final int leaderEpoch() {
        return kafka.getLeaderEpoch();
    }

    /** Returns whether this broker leads the partition; a deleted partition has no leader. */
    public final boolean isLed() {
        return kafka.isLeader();
    }
}
