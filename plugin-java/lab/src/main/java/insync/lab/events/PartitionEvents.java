package insync.lab.events;

import insync.agent.isr.PartitionHooks;
import insync.agent.isr.PartitionState;
import insync.agent.kafka.BrokerAccess;
import insync.agent.weave.TypeHooks;
import insync.core.Insync;
import insync.core.events.EventLog;
import insync.core.isr.FollowerTracker;
import insync.lab.lagpolicy.LagPolicy;
import insync.lab.view.FetchState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import kafka.cluster.Partition;
import net.bytebuddy.asm.Advice;
import scala.Option;

/**
 * Weaves Kafka's Partition, to emit events when this broker decides to change leadership or ISR. It runs under Kafka's
 * leaderIsrUpdateLock, so it only reads values and queues events, and never waits. The controller may still refuse an ISR
 * change: its metadata log, not these events, is the truth about the ISR.
 */
public final class PartitionEvents extends TypeHooks {

    /** @param isOf28 2.8 has other methods that change the ISR, and calls them even while another change is under way */
    public PartitionEvents(boolean isOf28) {
        super(PartitionHooks.TYPE);
        on("makeLeader", MakeLeader.class);
        on("makeFollower", MakeFollower.class);
        on(isOf28 ? "shrinkIsr" : "prepareIsrShrink", isOf28 ? ShrinkIsr.class : PrepareIsrShrink.class);
        on(isOf28 ? "expandIsr" : "prepareIsrExpand", isOf28 ? ExpandIsr.class : PrepareIsrExpand.class);
    }

    private static boolean areOn() {
        return Insync.current().events.isOn() && !Insync.isDisabled();
    }

    /** Returns the ISR before a change, or null if events go nowhere. */
    public static Set<Integer> before(Partition partition) {
        return areOn() ? PartitionState.isr(partition) : null;
    }

    /** The same in 2.8; null as well while another change is under way. */
    public static Set<Integer> before(Partition partition, Object isrState) throws ReflectiveOperationException {
        return areOn() && !(Boolean) isrState.getClass().getMethod("isInflight").invoke(isrState) ? PartitionState.isr(partition) : null;
    }

    /** @param role this broker's new role: "leader" or "follower" */
    public static void leaderChange(Partition partition, String role, int leaderEpoch) {
        if (areOn()) {
            emit("leader_change", partition, EventLog.fields("role", role, "leader_epoch", leaderEpoch));
        }
    }

    /**
     * Emits which followers the leader removes from the ISR.
     *
     * @param brokerId the leader (this broker)
     * @param isr the ISR before, or null
     */
    public static void shrink(Partition partition, int brokerId, Set<Integer> isr,
                              scala.collection.immutable.Set<Object> outOfSync) {
        if (isr == null) {
            return;
        }
        List<Object> removed = new ArrayList<>();
        Set<Integer> left = new TreeSet<>(isr);
        for (int id : BrokerAccess.ids(outOfSync)) {
            left.remove(id);
            removed.add(follower(partition, id));
        }
        emit("isr_shrink", partition, EventLog.fields("reason", LagPolicy.reason(brokerId),
            "leader_epoch", partition.getLeaderEpoch(), "isr", isr, "proposed", left, "followers", removed));
    }

    /** Emits which follower the leader adds to the ISR; {@code isr} is the ISR before, or null. */
    public static void expand(Partition partition, Set<Integer> isr, int joining) {
        if (isr == null) {
            return;
        }
        Set<Integer> grown = new TreeSet<>(isr);
        grown.add(joining);
        emit("isr_expand", partition, EventLog.fields("reason", "caught up to the high watermark",
            "leader_epoch", partition.getLeaderEpoch(), "isr", isr, "proposed", grown,
            "followers", List.of(follower(partition, joining))));
    }

    private static void emit(String type, Partition partition, Map<String, Object> fields) {
        Map<String, Object> all = EventLog.fields("topic", partition.topic(), "partition", partition.partitionId());
        all.putAll(fields);
        Insync.current().events.emit(type, all);
    }

    /** Returns a leader's state of a follower: replica, the fields of FetchState, lag_ms, pending. */
    public static Map<String, Object> follower(Partition partition, int replicaId) {
        Option<?> replica = partition.getReplica(replicaId);
        if (replica.isEmpty()) {
            return EventLog.fields("replica", replicaId, "known", false);
        }
        Map<String, Object> all = EventLog.fields("replica", replicaId);
        all.putAll(FetchState.of(replica.get()));
        all.put("lag_ms", System.currentTimeMillis() - (Long) all.get("last_caught_up_ms"));
        FollowerTracker fetches = PartitionState.fetches(partition, replicaId);
        all.put("pending", fetches == null ? List.of() : fetches.snapshot());
        return all;
    }

    /** Emits an event if the leader epoch is new. */
    static final class MakeLeader {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static int enter(@Advice.FieldValue("leaderEpoch") int leaderEpoch) {
            return leaderEpoch;
        }

        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This Partition partition, @Advice.Enter int before,
                         @Advice.FieldValue("leaderEpoch") int leaderEpoch) {
            if (leaderEpoch != before) {
                PartitionEvents.leaderChange(partition, "leader", leaderEpoch);
            }
        }
    }

    /** Emits an event when this broker stops leading. */
    static final class MakeFollower {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This Partition partition, @Advice.Return boolean newEpoch,
                         @Advice.FieldValue("leaderEpoch") int leaderEpoch) {
            if (newEpoch) {
                PartitionEvents.leaderChange(partition, "follower", leaderEpoch);
            }
        }
    }

    /** Emits an event with the state of each follower that the leader removes from the ISR. */
    static final class PrepareIsrShrink {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static Set<Integer> enter(@Advice.This Partition partition) {
            return PartitionEvents.before(partition);
        }

        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This Partition partition, @Advice.FieldValue("localBrokerId") int brokerId,
                         @Advice.Enter Set<Integer> before,
                         @Advice.Argument(1) scala.collection.immutable.Set<Object> outOfSync) {
            PartitionEvents.shrink(partition, brokerId, before, outOfSync);
        }
    }

    /** Emits an event with the state of the follower that the leader adds to the ISR. */
    static final class PrepareIsrExpand {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static Set<Integer> enter(@Advice.This Partition partition) {
            return PartitionEvents.before(partition);
        }

        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This Partition partition, @Advice.Enter Set<Integer> before,
                         @Advice.Argument(1) int joining) {
            PartitionEvents.expand(partition, before, joining);
        }
    }

    /** The same in 2.8. */
    static final class ShrinkIsr {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static Set<Integer> enter(@Advice.This Partition partition, @Advice.FieldValue("isrState") Object isrState)
                throws ReflectiveOperationException {
            return PartitionEvents.before(partition, isrState);
        }

        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This Partition partition, @Advice.FieldValue("localBrokerId") int brokerId,
                         @Advice.Enter Set<Integer> before,
                         @Advice.Argument(0) scala.collection.immutable.Set<Object> outOfSync) {
            PartitionEvents.shrink(partition, brokerId, before, outOfSync);
        }
    }

    /** The same in 2.8. */
    static final class ExpandIsr {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static Set<Integer> enter(@Advice.This Partition partition, @Advice.FieldValue("isrState") Object isrState)
                throws ReflectiveOperationException {
            return PartitionEvents.before(partition, isrState);
        }

        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This Partition partition, @Advice.Enter Set<Integer> before,
                         @Advice.Argument(0) int joining) {
            PartitionEvents.expand(partition, before, joining);
        }
    }
}
