package insync.agent;

import java.util.List;
import java.util.function.Function;

/** Describes what is woven: the broker's version, and the features that its adapter supports. */
public final class Features {
    private static volatile Features current;

    public final String brokerVersion;
    public final String adapter;
    private final Function<String, List<String>> table;

    /**
     * @param brokerVersion Kafka's version, as found on the class path
     * @param adapter the name of the adapter that is woven, such as "v4_2"
     * @param table returns the values of a column of broker-versions.properties for the adapter
     */
    Features(String brokerVersion, String adapter, Function<String, List<String>> table) {
        this.brokerVersion = brokerVersion;
        this.adapter = adapter;
        this.table = table;
    }

    /** Returns those of this JVM's brokers. */
    public static Features current() {
        return current;
    }

    static void install(Features features) {
        current = features;
    }

    /** Returns the agent's version, as its jar says. */
    public String agentVersion() {
        return Features.class.getPackage().getImplementationVersion();
    }

    /** Returns the supported scopes of pending fetches; empty if KIP-501 is not supported. */
    public List<String> scopes() {
        return table.apply(".scopes");
    }

    /** Returns whether the configs against KAFKA-7104 are supported. */
    public boolean supportsLogStart() {
        return table.apply(".log_start").contains("true");
    }

    public boolean supportsStepDown() {
        return table.apply(".step_down").contains("true");
    }

    /** Returns whether a follower's lag can be counted in messages. */
    public boolean supportsLagByMessages() {
        return table.apply(".lag_policies").contains("messages");
    }
}
