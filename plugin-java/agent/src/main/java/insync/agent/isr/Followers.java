package insync.agent.isr;

import insync.agent.broker.Brokers;
import insync.agent.isr.ReplicaHooks.FollowerCarrier;
import insync.agent.kafka.KafkaPartition;
import insync.core.isr.FollowerReplica;
import insync.core.isr.FollowerTracker;
import insync.core.isr.RequestScope;
import insync.core.isr.Scope;
import java.util.List;
import java.util.Optional;
import kafka.cluster.Partition;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.requests.FetchRequest;
import scala.Option;

/** Finds the tracker of a follower, a field of its replica. */
public final class Followers {

    private Followers() { }

    /**
     * Returns whether the plugin keeps this follower in sync; false for a replica that the partition does not know.
     *
     * @param brokerId the leader (this broker)
     * @param nowMs the broker's time, milliseconds since the epoch
     * @param maxLagMs replica.lag.time.max.ms
     */
    public static boolean holdsInSync(Partition partition, int brokerId, int replicaId, long nowMs, long maxLagMs) {
        RequestScope requests = Brokers.requests(brokerId);
        FollowerTracker fetches = requests == null ? PartitionState.fetches(partition, replicaId)
            : tracker(partition, replicaId, requests);
        return fetches != null && Brokers.keepsInSync(brokerId) && fetches.holdsInSync(nowMs, maxLagMs);
    }

    /**
     * Starts to track the followers of a partition that this broker leads from now on. In scope "request" their time counts
     * from now on, so that pauses of this broker count even before it reads their first fetch.
     */
    public static void led(Partition partition, int brokerId) {
        RequestScope requests = Brokers.requests(brokerId);
        if (requests == null) {
            return;
        }
        Brokers.access().replicas(partition).forEach(replicaId -> tracker(partition, replicaId, requests));
    }

    /** Clears the trackers of a partition that this broker no longer leads. */
    public static void resigned(List<FollowerTracker> followers) {
        followers.forEach(FollowerTracker::resigned);
    }

    /**
     * Returns the tracker for a partition of a follower's fetch. Returns null if Kafka answers with an error because this broker does
     * not lead it in the leader epoch of the fetch, or if it does not know the follower.
     *
     * @param key the partition, as the fetch names it
     */
    static FollowerTracker fetched(ReplicaManager replicas, Object key, FetchRequest.PartitionData data, int replicaId, Scope scope) {
        Option<Partition> partition = replicas.onlinePartition(Brokers.access().partition(key));
        Optional<Integer> epoch = data.currentLeaderEpoch;
        return partition.isEmpty() || epoch.isPresent() && epoch.get() != partition.get().getLeaderEpoch() ? null
            : tracker(partition.get(), replicaId, scope);
    }

    private static FollowerTracker tracker(Partition partition, int replicaId, Scope scope) {
        Option<?> replica = partition.getReplica(replicaId);
        return replica.isEmpty() ? null : tracker(partition, replicaId, (FollowerCarrier) replica.get(), scope);
    }

    /** Returns the follower's tracker of a scope, made if it has none. There is one per Replica, which Kafka replaces with each assignment. */
    static FollowerTracker tracker(Partition partition, int replicaId, FollowerCarrier carrier, Scope scope) {
        FollowerTracker known = carrier.insync$fetches();
        if (known != null && known.isOf(scope)) {
            return known;
        }
        synchronized (carrier) {
            FollowerTracker earlier = carrier.insync$fetches();
            if (earlier == null || !earlier.isOf(scope)) {
                carrier.insync$fetches(scope.tracker(new KafkaFollower(partition, replicaId), carrier.insync$electedMs(), earlier));
            }
            return carrier.insync$fetches();
        }
    }

    /** Adapts a follower of Kafka's Partition to the core. */
    static final class KafkaFollower extends KafkaPartition implements FollowerReplica {
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
}
