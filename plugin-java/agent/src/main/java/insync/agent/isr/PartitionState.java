package insync.agent.isr;

import insync.agent.isr.ReplicaHooks.FollowerCarrier;
import insync.agent.kafka.BrokerAccess;
import insync.core.isr.FollowerTracker;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import kafka.cluster.Partition;
import kafka.server.ReplicaManager;
import scala.Option;
import scala.collection.Iterator;

/** Reads a leader's state of a partition's ISR and followers. Takes no lock. */
public final class PartitionState {

    private PartitionState() { }

    /** Returns the ids of the leader's ISR, without a change that the controller has not confirmed yet. */
    public static Set<Integer> isr(Partition partition) {
        return new TreeSet<>(BrokerAccess.ids(partition.inSyncReplicaIds()));
    }

    /** Returns the partitions that have a replica here. */
    public static List<Partition> online(ReplicaManager replicas) {
        List<Partition> all = new ArrayList<>();
        Iterator<?> each = ((Hosts) (Object) replicas).insync$online();
        while (each.hasNext()) {
            all.add((Partition) each.next());
        }
        return all;
    }

    /** Returns those that this broker leads. */
    public static Stream<Partition> led(ReplicaManager replicas) {
        return online(replicas).stream().filter(Partition::isLeader);
    }

    /** Returns a follower's tracker, or null if it has none. */
    public static FollowerTracker fetches(Partition partition, int replicaId) {
        Option<?> replica = partition.getReplica(replicaId);
        return replica.isEmpty() ? null : ((FollowerCarrier) replica.get()).insync$fetches();
    }

    /** Returns the trackers of all followers that have one; allocates no list if none has, as with the feature off. */
    public static List<FollowerTracker> followersOf(Partition partition) {
        List<FollowerTracker> all = List.of();
        Iterator<?> each = partition.remoteReplicas().iterator();
        while (each.hasNext()) {
            FollowerTracker fetches = ((FollowerCarrier) each.next()).insync$fetches();
            if (fetches != null) {
                all = all.isEmpty() ? new ArrayList<>() : all;
                all.add(fetches);
            }
        }
        return all;
    }

    /** Gives access to a private method of Kafka's ReplicaManager. */
    public interface Hosts {

        /** Returns Kafka's Partitions, whose type the weaving would load if it were named here. */
        Iterator<?> insync$online();
    }
}
