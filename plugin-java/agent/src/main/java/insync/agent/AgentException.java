package insync.agent;

/** Reports to the user in one line why the agent cannot start. */
public final class AgentException extends Exception {
    private static final long serialVersionUID = 1L;

    public AgentException(String message) {
        super(message);
    }
}
