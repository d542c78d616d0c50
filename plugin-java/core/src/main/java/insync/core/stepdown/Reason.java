package insync.core.stepdown;

/** The reason for a step-down, or for withholding one although a fetch of the partition, or an append to it, is slow. */
public enum Reason {
    /** The leader steps down: it processed a fetch for longer than T, and no rule prevents it. */
    SLOW_FETCH,
    /** The leader steps down: an append to its log took longer than T, and no rule prevents it. */
    SLOW_APPEND,
    /** The leader steps down: a read for a follower failed. Only where a leader relinquishes without solution 1. */
    READ_ERROR,
    /** A request for this partition is unanswered, was refused less than T ago, or failed a moment ago. */
    AWAITING_ANSWER,
    /** An ISR change, a reassignment or a deletion is under way. */
    CHANGING,
    /** The leadership moved less than a cool-down ago, by a step-down or otherwise. */
    COOLING_DOWN,
    /** Too many live peers look slow, so a step-down would not help. */
    PEERS_SLOW,
    /** No other member of the ISR is live and unfenced. */
    NO_SUCCESSOR,
    /** All live, unfenced members look slow. */
    SUCCESSORS_SLOW,
    /** This broker has given away the most partitions that it may within a minute. */
    BUDGET_SPENT;

    /** Returns whether the leader steps down; the others are reasons against it. */
    public boolean acts() {
        return this == SLOW_FETCH || this == SLOW_APPEND || this == READ_ERROR;
    }
}
