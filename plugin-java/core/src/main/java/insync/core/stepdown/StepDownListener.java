package insync.core.stepdown;

/** Receives step-downs, what became of them, and which brokers look slow. Must return at once and never throw. */
public interface StepDownListener {

    /** Notes a decision, once per reason and partition while its fetches are slow. */
    default void decided(Decision decision) { }

    /**
     * Notes how a requested step-down ended.
     *
     * @param way how it was requested, or null
     * @param error null if there is none
     * @param askedMs how long after the decision, milliseconds
     */
    default void ended(Decision decision, Outcome outcome, String way, String error, long askedMs) { }

    /**
     * Notes that this broker counts as slow from now on, or no longer.
     *
     * @param pendingMs the age of the slow fetch or append that is furthest beyond its limit, milliseconds; 0 if there is none
     */
    default void leaderSlow(boolean slow, long pendingMs) { }

    /** Notes that a peer looks slow from now on, or no longer. */
    default void peerSlow(int peer, boolean slow) { }
}
