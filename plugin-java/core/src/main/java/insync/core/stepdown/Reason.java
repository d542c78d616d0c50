package insync.core.stepdown;

import java.util.Locale;

/** Why the watch steps down, or does not although a fetch of the partition is slow. */
public enum Reason {
    /** The leader steps down: it processed a fetch for longer than T, and no rule forbids it. */
    SLOW_FETCH,
    /** An earlier request for this partition is not answered yet, was refused less than T or failed less than T/4 ago. */
    AWAITING_ANSWER,
    /** An ISR change, a reassignment or a deletion is under way. */
    CHANGING,
    /** The leadership moved less than a cool-down ago, by a step-down or otherwise. */
    COOLING_DOWN,
    /** This broker's score is below the threshold still. */
    SCORE_BELOW_THRESHOLD,
    /** Too many of the live peers look slow, too: nothing is gained. */
    PEERS_SLOW,
    /** No other member of the ISR is live and unfenced. */
    NO_SUCCESSOR,
    /** There are such members, but all of them look slow. */
    SUCCESSORS_SLOW,
    /** This broker has given away as many partitions as it may within a minute. */
    BUDGET_SPENT;

    /** Returns it as events and metrics write it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
