package insync.agent.isr;

import insync.agent.broker.KafkaBroker;
import insync.agent.isr.ReplicaHooks.FollowerCarrier;
import insync.core.ChargedFetches;
import insync.core.FollowerFetches;
import insync.core.RequestScope;
import kafka.cluster.Partition;
import scala.Option;

/** Finds what the plugin knows of a follower, on the replica that carries it. */
public final class Followers {

    private Followers() { }

    /**
     * Whether the plugin keeps this follower in sync; false for a replica that the partition does not know.
     *
     * @param brokerId the leader, which is this broker
     * @param nowMs the broker's time, milliseconds since the epoch
     * @param maxLagMs replica.lag.time.max.ms
     */
    public static boolean holdsInSync(Partition partition, int brokerId, int replicaId, long nowMs, long maxLagMs) {
        Option<?> replica = partition.getReplica(replicaId);
        if (replica.isEmpty()) {
            return false;
        }
        FollowerCarrier carrier = (FollowerCarrier) replica.get();
        RequestScope scope = RequestScopes.of(brokerId);
        FollowerFetches fetches = scope == null ? carrier.insync$fetches() : charged(partition, replicaId, carrier, scope);
        return fetches != null && fetches.holdsInSync(nowMs, maxLagMs);
    }

    /**
     * This broker leads the partition. In scope "request" the time of its followers counts from here on, so that
     * pauses of this broker are known even before it has read a fetch of theirs.
     */
    public static void led(Partition partition, int brokerId) {
        RequestScope scope = RequestScopes.of(brokerId);
        if (scope == null) {
            return;
        }
        for (int replicaId : KafkaBroker.access().replicas(partition)) {
            Option<?> replica = partition.getReplica(replicaId);
            if (replica.isDefined()) {
                charged(partition, replicaId, (FollowerCarrier) replica.get(), scope);
            }
        }
    }

    /** The follower's state in scope "request"; made once per Replica, which Kafka makes anew with each assignment. */
    static FollowerFetches charged(Partition partition, int replicaId, FollowerCarrier carrier, RequestScope scope) {
        FollowerFetches known = carrier.insync$fetches();
        if (known != null) {
            return known;
        }
        synchronized (carrier) {
            if (carrier.insync$fetches() == null) {
                carrier.insync$fetches(new ChargedFetches(
                    new KafkaFollower(partition, replicaId), scope, carrier.insync$electedMs()));
            }
            return carrier.insync$fetches();
        }
    }
}
