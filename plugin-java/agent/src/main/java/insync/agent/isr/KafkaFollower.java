package insync.agent.isr;

import insync.agent.kafka.KafkaPartition;
import insync.core.isr.FollowerReplica;
import kafka.cluster.Partition;

/** Adapts a follower of Kafka's Partition to the core. */
final class KafkaFollower extends KafkaPartition implements FollowerReplica {
    private final int replicaId;

    KafkaFollower(Partition partition, int replicaId) {
        super(partition);
        this.replicaId = replicaId;
    }

    @Override
    public int replicaId() {
        return replicaId;
    }
}
