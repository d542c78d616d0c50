package insync.lab.lagpolicy;

import insync.agent.isr.PartitionHooks;
import insync.agent.weave.TypeHooks;
import insync.core.Insync;
import insync.lab.view.FetchState;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import kafka.cluster.Partition;
import kafka.server.KafkaConfig;
import net.bytebuddy.asm.Advice;
import scala.Option;

/** Weaves Kafka's Partition, to replace the rule by which one broker decides that a follower is out of sync. */
public final class LagPolicy extends TypeHooks {
    /** The rules of those brokers of this JVM that do not have Kafka's own, by broker id. */
    private static final Map<Integer, MessageLagRule> RULES = new ConcurrentHashMap<>();

    public LagPolicy() {
        super(PartitionHooks.TYPE);
        on("isFollowerOutOfSync", IsFollowerOutOfSync.class);
    }

    /** Sets the rule of a broker. */
    public static void set(KafkaConfig config) {
        MessageLagRule rule = LagPolicyConfig.rule(config);
        if (rule == null) {
            RULES.remove(config.brokerId());
        } else {
            RULES.put(config.brokerId(), rule);
        }
    }

    /**
     * Returns whether a follower is out of sync.
     *
     * @param byTime the answer of Kafka's rule, returned if the broker has that rule or the replica is unknown
     */
    public static boolean isOutOfSync(Partition partition, int brokerId, int replicaId, long leaderLeo, long nowMs,
                                      long maxLagMs, boolean byTime) {
        MessageLagRule rule = Insync.isDisabled() ? null : RULES.get(brokerId);
        Option<?> replica = rule == null ? Option.empty() : partition.getReplica(replicaId);
        if (replica.isEmpty()) {
            return byTime;
        }
        Map<String, Object> state = FetchState.of(replica.get());
        // The time of the last fetch, or of the election if the follower has not fetched since.
        long lastFetchMs = Math.max((Long) state.get("last_fetch_ms"), (Long) state.get("last_caught_up_ms"));
        return rule.isOutOfSync((Long) state.get("leo"), lastFetchMs, leaderLeo, nowMs, maxLagMs);
    }

    /** Returns why a broker removes followers from the ISR. */
    public static String reason(int brokerId) {
        MessageLagRule rule = Insync.isDisabled() ? null : RULES.get(brokerId);
        return rule == null ? "replica.lag.time.max.ms exceeded" : LagPolicyConfig.POLICY + "=" + rule;
    }

    /** Decides by messages whether a member of the ISR is out of sync. */
    static final class IsFollowerOutOfSync {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This Partition partition, @Advice.FieldValue("localBrokerId") int brokerId,
                         @Advice.Argument(0) int replicaId, @Advice.Argument(1) long leaderLeo,
                         @Advice.Argument(2) long nowMs, @Advice.Argument(3) long maxLagMs,
                         @Advice.Return(readOnly = false) boolean outOfSync) {
            outOfSync = LagPolicy.isOutOfSync(partition, brokerId, replicaId, leaderLeo, nowMs, maxLagMs, outOfSync);
        }
    }
}
