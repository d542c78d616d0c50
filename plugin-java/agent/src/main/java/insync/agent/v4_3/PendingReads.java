package insync.agent.v4_3;

import insync.core.Clock;
import insync.core.FetchMarks;
import insync.core.FollowerFetches;
import insync.core.Insync;
import insync.core.PendingReport;
import insync.core.Stats;
import kafka.cluster.Partition;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.server.replica.Replica;
import org.apache.kafka.server.storage.log.FetchParams;
import org.apache.kafka.server.storage.log.FetchPartitionData;
import scala.Function1;
import scala.Option;
import scala.Tuple2;
import scala.collection.Iterator;
import scala.collection.Seq;
import scala.runtime.BoxedUnit;

/** The feature, on, in one broker: finds the core's per-follower state for the partitions of a fetch. */
public final class PendingReads {
    private final ReplicaManager replicas;
    private final Clock clock;
    private final Stats stats;
    private final PendingReport report;

    PendingReads(ReplicaManager replicas, Clock clock, Insync insync, long lagTimeMaxMs) {
        this.replicas = replicas;
        this.clock = clock;
        this.stats = insync.stats();
        this.report = new PendingReport(insync.events(), stats, lagTimeMaxMs);
        report.start();
    }

    /**
     * Marks the partitions of a follower's fetch.
     *
     * @return the response callback to use instead, or null if nothing is marked: a consumer's fetch, or one
     *     that protects no follower
     */
    public PendingFetch begin(FetchParams params, Seq<Tuple2<TopicIdPartition, FetchRequest.PartitionData>> partitions,
                              Function1<Seq<Tuple2<TopicIdPartition, FetchPartitionData>>, BoxedUnit> callback) {
        if (!params.isFromFollower()) {
            return null;
        }
        FetchMarks marks = new FetchMarks();
        try {
            Iterator<Tuple2<TopicIdPartition, FetchRequest.PartitionData>> each = partitions.iterator();
            while (each.hasNext()) {
                Tuple2<TopicIdPartition, FetchRequest.PartitionData> one = each.next();
                mark(marks, params.replicaId, one._1(), one._2());
            }
        } catch (RuntimeException | Error failed) {
            marks.complete();
            throw failed;
        }
        return marks.isEmpty() ? null : new PendingFetch(callback, marks);
    }

    /** Whether a pending fetch keeps this follower in sync; false for a replica the partition does not know. */
    public static boolean holdsInSync(Partition partition, int replicaId) {
        Option<Replica> replica = partition.getReplica(replicaId);
        if (replica.isEmpty()) {
            return false;
        }
        FollowerFetches fetches = ((FollowerCarrier) (Object) replica.get()).insync$fetches();
        return fetches != null && fetches.holdsInSync();
    }

    private void mark(FetchMarks marks, int replicaId, TopicIdPartition id, FetchRequest.PartitionData fetch) {
        Option<Partition> partition = replicas.onlinePartition(id.topicPartition());
        if (partition.isEmpty() || isOfOtherEpoch(fetch, partition.get().getLeaderEpoch())) {
            return;
        }
        Option<Replica> replica = partition.get().getReplica(replicaId);
        if (replica.isDefined()) {
            marks.mark(fetches(partition.get(), replica.get()), fetch.fetchOffset,
                replica.get().stateSnapshot().lastFetchLeaderLogEndOffset());
        }
    }

    /** Kafka answers such a fetch with an error; it protects nobody. */
    private static boolean isOfOtherEpoch(FetchRequest.PartitionData fetch, int leaderEpoch) {
        return fetch.currentLeaderEpoch.isPresent() && fetch.currentLeaderEpoch.get() != leaderEpoch;
    }

    private FollowerFetches fetches(Partition partition, Replica replica) {
        FollowerCarrier carrier = (FollowerCarrier) (Object) replica;
        FollowerFetches fetches = carrier.insync$fetches();
        return fetches != null ? fetches : attach(partition, replica, carrier);
    }

    /** Once per Replica object, which Kafka makes anew with each assignment. */
    private synchronized FollowerFetches attach(Partition partition, Replica replica, FollowerCarrier carrier) {
        if (carrier.insync$fetches() == null) {
            KafkaFollower follower = new KafkaFollower(partition, replica.brokerId(), carrier.insync$state());
            carrier.insync$fetches(new FollowerFetches(follower, clock, stats, report));
        }
        return carrier.insync$fetches();
    }
}
