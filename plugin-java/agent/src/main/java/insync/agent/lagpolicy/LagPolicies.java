package insync.agent.lagpolicy;

import insync.agent.weave.HooksOnDemand;
import insync.core.MessageLagRule;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import kafka.cluster.Partition;
import kafka.server.KafkaConfig;
import scala.Option;

/** The brokers of this JVM that go by messages; a process has one, Kafka's own tests have several. */
public final class LagPolicies {
    private static final Map<Integer, MessageLagRule> RULES = new ConcurrentHashMap<>();
    private static volatile LagAccess access;
    private static volatile HooksOnDemand hooks;

    private LagPolicies() { }

    /**
     * Called before the configs are defined.
     *
     * @param adapted what the broker's version brings, or null where it does not tell when a follower fetched last
     * @param onDemand weaves the hook once a broker asks for it
     */
    public static void prepare(LagAccess adapted, HooksOnDemand onDemand) {
        access = adapted;
        hooks = onDemand;
        LagPolicyConfig.prepare(adapted != null);
    }

    /** A broker's ReplicaManager is made: only now is it known whether the hook is wanted. */
    public static void started(KafkaConfig config) {
        MessageLagRule rule = LagPolicyConfig.rule(config);
        if (rule == null) {
            RULES.remove(config.brokerId());
            return;
        }
        RULES.put(config.brokerId(), rule);
        hooks.weave(PartitionHooks.lagByMessages(), LagPolicyConfig.POLICY + "=" + rule);
    }

    /**
     * Kafka's question, answered by the rule of the broker that asks.
     *
     * @param byTime Kafka's own answer, which stands where a broker goes by time, and for a replica that it does not know
     */
    public static boolean isOutOfSync(Partition partition, int brokerId, int replicaId, long leaderLeo, long nowMs,
                                      long maxLagMs, boolean byTime) {
        MessageLagRule rule = RULES.get(brokerId);
        Option<?> replica = rule == null ? Option.empty() : partition.getReplica(replicaId);
        return replica.isEmpty() ? byTime : access.isOutOfSync(replica.get(), rule, leaderLeo, nowMs, maxLagMs);
    }

    /** By which rule a broker drops followers, for an event. */
    public static String reason(int brokerId) {
        MessageLagRule rule = RULES.get(brokerId);
        return rule == null ? "replica.lag.time.max.ms exceeded" : LagPolicyConfig.POLICY + "=" + rule;
    }
}
