package insync.agent;

import java.nio.file.Path;

/** What the agent knows when it begins, for the adapter it has chosen. */
public final class Start {
    private final String brokerVersion;
    private final String[] scopes;
    private final AgentOptions options;

    Start(String brokerVersion, String[] scopes, AgentOptions options) {
        this.brokerVersion = brokerVersion;
        this.scopes = scopes.clone();
        this.options = options;
    }

    /** Kafka's version, as found on the class path. */
    public String brokerVersion() {
        return brokerVersion;
    }

    /** The scopes that the version supports. */
    public String[] scopes() {
        return scopes.clone();
    }

    /** Connection file of the bridge to write once the broker runs, or null. */
    public Path bridgeFile() {
        return options.bridgeFile();
    }

    /** "off", or the scope that is on where a broker's settings do not say otherwise. */
    public String defaultScope() {
        return options.defaultScope();
    }
}
