package insync.agent.isr;

import insync.agent.isr.ReplicaHooks.FollowerCarrier;
import insync.agent.kafka.BrokerAccess;
import insync.core.isr.FollowerTracker;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import kafka.cluster.Partition;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.TopicPartition;
import scala.Option;
import scala.collection.Iterator;

/** Reads a leader's state of a partition's ISR and followers. Takes no lock. */
public final class PartitionState {

    private PartitionState() { }

    /** Returns the ids of the leader's ISR, without a change that the controller has not confirmed yet. */
    public static Set<Integer> isr(Partition partition) {
        return new TreeSet<>(BrokerAccess.ids(partition.inSyncReplicaIds()));
    }

    /** Returns the partitions of these topics that have a replica here. */
    public static Stream<Partition> online(BrokerAccess access, ReplicaManager replicas, Collection<String> topics) {
        return topics.stream()
            .flatMap(name -> IntStream.range(0, access.partitions(replicas, name)).mapToObj(id -> new TopicPartition(name, id)))
            .map(replicas::onlinePartition).filter(Option::isDefined).map(Option::get);
    }

    /** Returns those that this broker leads. */
    public static Stream<Partition> led(BrokerAccess access, ReplicaManager replicas, Collection<String> topics) {
        return online(access, replicas, topics).filter(Partition::isLeader);
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
}
