package insync.agent;

import insync.agent.weave.HooksOnDemand;
import java.nio.file.Path;

/** What the agent knows when it begins, for the adapter it has chosen. */
public final class Start {
    private final String brokerVersion;
    private final String[] scopes;
    private final AgentOptions options;
    private final HooksOnDemand onDemand;

    Start(String brokerVersion, String[] scopes, AgentOptions options, HooksOnDemand onDemand) {
        this.brokerVersion = brokerVersion;
        this.scopes = scopes.clone();
        this.options = options;
        this.onDemand = onDemand;
    }

    /** Kafka's version, as found on the class path. */
    public String brokerVersion() {
        return brokerVersion;
    }

    /** The scopes that the version supports. */
    public String[] scopes() {
        return scopes.clone();
    }

    /** Weaves what settings ask for, once they are known. */
    public HooksOnDemand onDemand() {
        return onDemand;
    }

    /** Connection file of the bridge to write once the broker runs, or null. */
    public Path bridgeFile() {
        return options.bridgeFile();
    }

    /** "off", or the scope that is on where a broker's settings do not say otherwise. */
    public String defaultScope() {
        return options.defaultScope();
    }

    /** What is on against KAFKA-7104 where a broker's settings do not say: "off", "bound", "snapshot" or "both". */
    public String defaultLogStart() {
        return options.defaultLogStart();
    }

    /** Whether the points at which tests may stop threads are to be woven in. */
    public boolean holds() {
        return options.holds();
    }
}
