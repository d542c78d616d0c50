package insync.agent;

import insync.agent.weave.HooksOnDemand;
import java.util.List;

/**
 * Describes the agent's start: the broker's version, the features that it supports, and the agent's options.
 */
public final class AgentSetup {
    private final String brokerVersion;
    private final AgentOptions options;
    private final HooksOnDemand onDemand;
    private final List<String> scopes;
    private final boolean logStart;
    private final boolean stepDown;
    private final Adapters table;
    private final String adapter;

    AgentSetup(String brokerVersion, Adapters table, Adapter adapter, AgentOptions options, HooksOnDemand onDemand) {
        this.brokerVersion = brokerVersion;
        this.options = options;
        this.onDemand = onDemand;
        this.scopes = table.scopes(adapter);
        this.logStart = table.isOn(adapter, ".log_start");
        this.stepDown = table.isOn(adapter, ".step_down");
        this.adapter = adapter.name();
        this.table = table;
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
        return scopes;
    }

    /** Returns whether the configs against KAFKA-7104 are supported. */
    public boolean supportsLogStart() {
        return logStart;
    }

    /** Returns whether a leader can step down. */
    public boolean supportsStepDown() {
        return stepDown;
    }

    /** Returns the values of a column of broker-versions.properties for the adapter. */
    public List<String> listed(String column) {
        return table.listed(adapter, column);
    }
}
