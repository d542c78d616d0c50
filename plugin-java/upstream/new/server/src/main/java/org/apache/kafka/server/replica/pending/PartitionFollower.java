package org.apache.kafka.server.replica.pending;

/** A follower of a partition that this broker leads. */
record PartitionFollower(LedPartition of, int replicaId) implements FollowerReplica {

    @Override
    public String topic() {
        return of.topic();
    }

    @Override
    public int partition() {
        return of.partition();
    }

    @Override
    public int leaderEpoch() {
        return of.leaderEpoch();
    }
}
