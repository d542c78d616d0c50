package insync.agent;

/** The agent cannot go on as asked; the message is the one line its user reads. */
public final class AgentException extends Exception {
    private static final long serialVersionUID = 1L;

    public AgentException(String message) {
        super(message);
    }
}
