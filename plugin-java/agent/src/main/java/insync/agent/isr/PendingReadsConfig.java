package insync.agent.isr;

import java.util.List;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;

/** Defines and reads the broker configs of pending fetches. */
public final class PendingReadsConfig {
    /** KIP-501, "Public Interfaces". */
    public static final String PENDING_READS = "follower.fetch.pending.reads.insync.enable";
    /** Which part of a fetch's processing counts as pending; not part of the KIP. */
    public static final String SCOPE = "insync.scope";
    public static final String LAG_TIME_MAX_MS = "replica.lag.time.max.ms";
    /** From before the read until the response callback: KIP-501 as written. */
    public static final String READ = "read";
    /** From the arrival of the request until its response is sent. */
    public static final String REQUEST = "request";
    /** No fetch is tracked. */
    public static final String OFF = "off";

    private static final String PENDING_READS_DOC =
        "Whether a follower stays in sync while the leader processes its fetch, if the fetch offset is at or "
            + "beyond the leader's log end offset at that follower's previous fetch (KIP-501, solution 1). If true, a "
            + "slow leader does not remove followers that keep up. Added by the insync agent.";
    private static final String SCOPE_DOC =
        "Which part of a fetch counts as the leader's processing when follower.fetch.pending.reads.insync.enable is true. "
            + "<code>read</code>: from before the read until the response callback. "
            + "<code>request</code>: from the arrival of the request until the last byte of the response is sent. A "
            + "follower's lag does not include this time, nor time in which the leader's process was frozen or starved. It "
            + "includes time in which the follower's socket is full.";

    private PendingReadsConfig() { }

    /**
     * Adds the keys to the broker's config definition, so that Kafka parses and describes them.
     *
     * @param supported the scopes that the broker's version supports
     */
    public static void define(ConfigDef definition, List<String> supported) {
        definition.define(PENDING_READS, ConfigDef.Type.BOOLEAN, false, (name, value) -> {
            if (Boolean.TRUE.equals(value) && supported.isEmpty()) {
                throw new ConfigException(name, value, "expected false: the insync agent has no KIP-501 for this version of Kafka");
            }
        }, ConfigDef.Importance.MEDIUM, PENDING_READS_DOC);
        if (!supported.isEmpty()) {
            definition.define(SCOPE, ConfigDef.Type.STRING, supported.contains(REQUEST) ? REQUEST : READ,
                ConfigDef.ValidString.in(supported.toArray(new String[0])), ConfigDef.Importance.MEDIUM, SCOPE_DOC);
        }
    }

    /** Returns whether the feature is on in this broker, whatever its scope. */
    public static boolean enabled(KafkaConfig config) {
        return config.getBoolean(PENDING_READS);
    }

    public static String scope(KafkaConfig config) {
        return config.getString(SCOPE);
    }

    /** Reads the config by name, because the type of KafkaConfig's getter differs between versions. */
    public static long lagTimeMaxMs(KafkaConfig config) {
        return config.getLong(LAG_TIME_MAX_MS);
    }

    public static boolean isOn(KafkaConfig config, String scope) {
        return enabled(config) && scope(config).equals(scope);
    }
}
