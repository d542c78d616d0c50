package insync.agent.isr;

import insync.agent.isr.RequestHooks.RequestCarrier;
import insync.core.isr.FetchBody;
import insync.core.isr.FollowerReplica;
import kafka.cluster.Partition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.requests.FetchRequest;
import scala.Option;

/** Finds a partition in the body of a fetch request; called only for followers that Kafka finds out of sync. */
public final class NamedPartitions implements FetchBody {
    private static final int ANY_EPOCH = -1;

    @Override
    public long offsetOf(Object request, FollowerReplica replica) {
        FetchRequest fetch = (FetchRequest) ((RequestCarrier) request).loggableRequest();
        Uuid id = topicId(((KafkaFollower) replica).kafkaPartition());
        for (FetchRequestData.FetchTopic topic : fetch.data().topics()) {
            boolean byId = id != null && topic.topicId().equals(id);
            if (byId || topic.topic().equals(replica.topic())) {
                long offset = offsetOf(topic, replica);
                if (offset != NOT_NAMED) {
                    return offset;
                }
            }
        }
        return NOT_NAMED;
    }

    /** Returns null on a cluster that has none. */
    private static Uuid topicId(Partition partition) {
        Option<Uuid> id = partition.topicId();
        return id.isEmpty() ? null : id.get();
    }

    private static long offsetOf(FetchRequestData.FetchTopic topic, FollowerReplica replica) {
        for (FetchRequestData.FetchPartition one : topic.partitions()) {
            boolean thisEpoch = one.currentLeaderEpoch() == ANY_EPOCH
                || one.currentLeaderEpoch() == replica.leaderEpoch();
            if (one.partition() == replica.partition() && thisEpoch) {
                return one.fetchOffset();
            }
        }
        return NOT_NAMED;
    }
}
