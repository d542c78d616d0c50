package insync.agent.lagpolicy;

import insync.agent.kafka.BrokerAccess;
import insync.agent.weave.HooksOnDemand;
import insync.core.lagpolicy.MessageLagRule;
import kafka.cluster.Partition;
import kafka.server.KafkaConfig;
import scala.Option;

/** Decides in one broker by which rule followers are out of sync. */
public final class LagPolicy {
    /** Kafka's own rule. */
    public static final LagPolicy BY_TIME = new LagPolicy(null, null);

    private final MessageLagRule rule;
    private final LagAccess access;

    private LagPolicy(MessageLagRule rule, LagAccess access) {
        this.rule = rule;
        this.access = access;
    }

    /**
     * Returns the policy that a broker's settings ask for.
     *
     * @param access a {@link LagAccess} in every version for which the config allows messages
     */
    public static LagPolicy of(KafkaConfig config, BrokerAccess access) {
        MessageLagRule rule = LagPolicyConfig.rule(config);
        return rule == null ? BY_TIME : new LagPolicy(rule, (LagAccess) access);
    }

    /** Weaves the hook that asks this policy, unless Kafka's own rule applies. */
    public void weave(HooksOnDemand hooks) {
        if (rule != null) {
            hooks.weave(PartitionHooks.lagByMessages(), reason());
        }
    }

    /**
     * Returns whether a follower is out of sync.
     *
     * @param byTime Kafka's own answer, which is the result under Kafka's rule and for an unknown replica
     */
    public boolean isOutOfSync(Partition partition, int replicaId, long leaderLeo, long nowMs, long maxLagMs,
                               boolean byTime) {
        Option<?> replica = rule == null ? Option.empty() : partition.getReplica(replicaId);
        return replica.isEmpty() ? byTime : access.isOutOfSync(replica.get(), rule, leaderLeo, nowMs, maxLagMs);
    }

    /** Returns the rule in words, for an event. */
    public String reason() {
        return rule == null ? "replica.lag.time.max.ms exceeded" : LagPolicyConfig.POLICY + "=" + rule;
    }
}
