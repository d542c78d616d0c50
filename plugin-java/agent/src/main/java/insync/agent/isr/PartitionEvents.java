package insync.agent.isr;

import insync.agent.broker.KafkaBroker;
import insync.agent.lagpolicy.LagPolicies;
import insync.agent.isr.ReplicaHooks.FollowerCarrier;
import insync.core.EventLog;
import insync.core.FollowerFetches;
import insync.core.Insync;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import kafka.cluster.Partition;
import scala.Option;
import scala.collection.Iterator;

/**
 * Changes of leadership and ISR as this broker decides them. Called under Kafka's leaderIsrUpdateLock: values
 * are read and handed to the event queue, nothing is waited for. The controller may still refuse an ISR change;
 * its metadata log, not these events, is the truth about the ISR.
 */
public final class PartitionEvents {

    private PartitionEvents() { }

    /** The pending fetches of every remote replica that has any state of ours. */
    public static List<FollowerFetches> followersOf(Partition partition) {
        List<FollowerFetches> all = new ArrayList<>();
        Iterator<?> each = partition.remoteReplicas().iterator();
        while (each.hasNext()) {
            FollowerFetches fetches = ((FollowerCarrier) each.next()).insync$fetches();
            if (fetches != null) {
                all.add(fetches);
            }
        }
        return all;
    }

    public static void resigned(Partition partition, List<FollowerFetches> followers, int leaderEpoch) {
        followers.forEach(FollowerFetches::resigned);
        leaderChange(partition, "follower", leaderEpoch);
    }

    /** @param role what this broker is from now on: "leader" or "follower" */
    public static void leaderChange(Partition partition, String role, int leaderEpoch) {
        emit("leader_change", partition, EventLog.fields("role", role, "leader_epoch", leaderEpoch));
    }

    /** The ids of the ISR as the leader has it, a change that the controller has not yet confirmed left out. */
    public static Set<Integer> isr(Partition partition) {
        Set<Integer> isr = new TreeSet<>();
        Iterator<Object> each = partition.inSyncReplicaIds().iterator();
        while (each.hasNext()) {
            isr.add((Integer) each.next());
        }
        return isr;
    }

    /**
     * @param brokerId the leader, which is this broker
     * @param isr the ISR before
     */
    public static void shrink(Partition partition, int brokerId, Set<Integer> isr,
                              scala.collection.immutable.Set<Object> outOfSync) {
        List<Object> removed = new ArrayList<>();
        Set<Integer> left = new TreeSet<>(isr);
        Iterator<Object> each = outOfSync.iterator();
        while (each.hasNext()) {
            int id = (Integer) each.next();
            left.remove(id);
            removed.add(follower(partition, id));
        }
        emit("isr_shrink", partition, EventLog.fields("reason", LagPolicies.reason(brokerId),
            "leader_epoch", partition.getLeaderEpoch(), "isr", isr, "proposed", left, "followers", removed));
    }

    /** @param isr the ISR before */
    public static void expand(Partition partition, Set<Integer> isr, int joining) {
        Set<Integer> grown = new TreeSet<>(isr);
        grown.add(joining);
        emit("isr_expand", partition, EventLog.fields("reason", "caught up to the high watermark",
            "leader_epoch", partition.getLeaderEpoch(), "isr", isr, "proposed", grown,
            "followers", List.of(follower(partition, joining))));
    }

    /** A follower's state as its leader sees it: leo, last_caught_up_ms, lag_ms, last_fetch_ms, pending. */
    public static Map<String, Object> follower(Partition partition, int replicaId) {
        Option<?> replica = partition.getReplica(replicaId);
        if (replica.isEmpty()) {
            return EventLog.fields("replica", replicaId, "known", false);
        }
        Map<String, Object> all = EventLog.fields("replica", replicaId);
        all.putAll(KafkaBroker.access().fetchState(replica.get()));
        all.put("lag_ms", System.currentTimeMillis() - (Long) all.get("last_caught_up_ms"));
        FollowerFetches fetches = ((FollowerCarrier) replica.get()).insync$fetches();
        all.put("pending", fetches == null ? List.of() : fetches.snapshot());
        return all;
    }

    private static void emit(String type, Partition partition, Map<String, Object> fields) {
        Map<String, Object> all = EventLog.fields("topic", partition.topic(), "partition", partition.partitionId());
        all.putAll(fields);
        Insync.current().events().emit(type, all);
    }
}
