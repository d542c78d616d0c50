package insync.agent.lagpolicy;

import insync.agent.kafka.BrokerAccess;
import insync.agent.weave.HooksOnDemand;
import insync.core.lagpolicy.MessageLagRule;
import java.util.List;
import kafka.cluster.Partition;
import kafka.server.KafkaConfig;
import scala.Option;

/** Selects the rule by which one broker decides that a follower is out of sync. */
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
     * Returns the policy of a broker's settings.
     *
     * @param access a {@link LagAccess} in every version that supports lag by messages
     */
    public static LagPolicy of(KafkaConfig config, BrokerAccess access) {
        MessageLagRule rule = LagPolicyConfig.rule(config);
        return rule == null ? BY_TIME : new LagPolicy(rule, (LagAccess) access);
    }

    /** Weaves the hook that applies this policy, unless it is Kafka's own rule. */
    public void weave(HooksOnDemand hooks) {
        if (rule != null) {
            hooks.weave(List.of(PartitionHooks.lagByMessages()), reason());
        }
    }

    /**
     * Returns whether a follower is out of sync.
     *
     * @param byTime the answer of Kafka's rule, returned if the policy is Kafka's rule or the replica is unknown
     */
    public boolean isOutOfSync(Partition partition, int replicaId, long leaderLeo, long nowMs, long maxLagMs,
                               boolean byTime) {
        Option<?> replica = rule == null ? Option.empty() : partition.getReplica(replicaId);
        return replica.isEmpty() ? byTime : access.isOutOfSync(replica.get(), rule, leaderLeo, nowMs, maxLagMs);
    }

    /** Returns the rule as text, for an event. */
    public String reason() {
        return rule == null ? "replica.lag.time.max.ms exceeded" : LagPolicyConfig.POLICY + "=" + rule;
    }
}
