package insync.agent.broker;

/**
 * A scope of one broker that config updates turn on and off. When it is turned off, fetches that are pending keep their
 * followers in sync as before; new ones do not begin in it.
 */
public interface Drained {

    /** Returns whether a fetch is pending for which the scope must wait; not of one that says in {@link #drainMs} for how long. */
    default boolean isBusy() {
        return false;
    }

    /** Returns for how long the scope still has an effect when no such fetch is pending, in milliseconds. */
    long drainMs();

    /** Ends its effect and its threads at once. */
    void stop();
}
