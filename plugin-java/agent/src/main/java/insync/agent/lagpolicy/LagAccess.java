package insync.agent.lagpolicy;

import insync.core.lagpolicy.MessageLagRule;

/** Asks the rule of lag by messages about a replica, by a type that differs from version to version. */
public interface LagAccess {

    /**
     * Asks the rule with the replica's state as of one moment.
     *
     * @param replica Kafka's Replica
     */
    boolean isOutOfSync(Object replica, MessageLagRule rule, long leaderLeo, long nowMs, long maxLagMs);
}
