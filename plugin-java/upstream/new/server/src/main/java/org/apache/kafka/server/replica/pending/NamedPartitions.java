package org.apache.kafka.server.replica.pending;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.requests.FetchRequest;

import java.util.Optional;

/** Finds a partition in the body of a fetch request; asked only about followers that are out of sync by their own time. */
final class NamedPartitions implements FetchBody {

    @Override
    public long offsetOf(Object request, FollowerReplica replica) {
        Optional<Uuid> id = ((PartitionFollower) replica).of().topicId();
        for (FetchRequestData.FetchTopic topic : ((FetchRequest) request).data().topics()) {
            if (id.isPresent() && topic.topicId().equals(id.get()) || topic.topic().equals(replica.topic())) {
                long offset = offsetOf(topic, replica);
                if (offset != NOT_NAMED) {
                    return offset;
                }
            }
        }
        return NOT_NAMED;
    }

    private static long offsetOf(FetchRequestData.FetchTopic topic, FollowerReplica replica) {
        for (FetchRequestData.FetchPartition each : topic.partitions()) {
            int epoch = each.currentLeaderEpoch();
            if (each.partition() == replica.partition()
                    && (epoch == RecordBatch.NO_PARTITION_LEADER_EPOCH || epoch == replica.leaderEpoch())) {
                return each.fetchOffset();
            }
        }
        return NOT_NAMED;
    }
}
