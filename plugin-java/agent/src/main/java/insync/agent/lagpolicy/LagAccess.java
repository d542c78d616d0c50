package insync.agent.lagpolicy;

import insync.core.lagpolicy.MessageLagRule;

/** Applies the rule of lag by messages to a replica, whose type differs between versions. */
public interface LagAccess {

    /**
     * Applies the rule to a snapshot of the replica's state.
     *
     * @param replica Kafka's Replica
     */
    boolean isOutOfSync(Object replica, MessageLagRule rule, long leaderLeo, long nowMs, long maxLagMs);
}
