package insync.agent;

import insync.agent.weave.HooksOnDemand;
import java.util.List;
import java.util.function.Function;

/**
 * Describes the agent's start: the broker's version, the features that it supports, and the agent's options.
 */
public final class AgentSetup {
    private final String brokerVersion;
    private final AgentOptions options;
    private final HooksOnDemand onDemand;
    private final Function<String, List<String>> table;
    private final String adapter;

    /** @param table returns the values of a column of broker-versions.properties for the adapter */
    AgentSetup(String brokerVersion, String adapter, Function<String, List<String>> table, AgentOptions options,
               HooksOnDemand onDemand) {
        this.brokerVersion = brokerVersion;
        this.adapter = adapter;
        this.table = table;
        this.options = options;
        this.onDemand = onDemand;
    }

    /** Returns Kafka's version, as found on the class path. */
    public String brokerVersion() {
        return brokerVersion;
    }

    /** Returns the name of the adapter that is woven, such as "v4_2". */
    public String adapter() {
        return adapter;
    }

    /** Returns the agent's version, as its jar says. */
    public String agentVersion() {
        return AgentSetup.class.getPackage().getImplementationVersion();
    }

    public AgentOptions options() {
        return options;
    }

    /** Returns the weaver of the hooks on demand. */
    public HooksOnDemand onDemand() {
        return onDemand;
    }

    /** Returns the supported scopes of pending fetches; empty if KIP-501 is not supported. */
    public List<String> scopes() {
        return listed(".scopes");
    }

    /** Returns whether the configs against KAFKA-7104 are supported. */
    public boolean supportsLogStart() {
        return listed(".log_start").contains("true");
    }

    /** Returns whether a leader can step down. */
    public boolean supportsStepDown() {
        return listed(".step_down").contains("true");
    }

    /** Returns the values of a column of broker-versions.properties for the adapter. */
    public List<String> listed(String column) {
        return table.apply(column);
    }
}
