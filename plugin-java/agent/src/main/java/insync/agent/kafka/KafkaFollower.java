package insync.agent.kafka;

import insync.core.FollowerReplica;
import kafka.cluster.Partition;
import org.apache.kafka.common.Uuid;
import scala.Option;

/** A follower of Kafka's Partition, as the core sees it. */
final class KafkaFollower implements FollowerReplica {
    private final Partition partition;
    private final int replicaId;

    KafkaFollower(Partition partition, int replicaId) {
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

    /** The topic's id, or null on a cluster that has none. */
    Uuid topicId() {
        Option<Uuid> id = partition.topicId();
        return id.isEmpty() ? null : id.get();
    }
}
