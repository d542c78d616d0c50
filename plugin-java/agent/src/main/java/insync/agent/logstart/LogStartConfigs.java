package insync.agent.logstart;

import insync.core.events.EventLog;
import java.util.Map;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;

/** Defines and reads the broker configs against KAFKA-7104. */
public final class LogStartConfigs {
    /** The JIRA's first fix, on a follower. */
    public static final String BOUND = "follower.log.start.offset.bound.enable";
    /** The JIRA's second fix, on a leader. */
    public static final String SNAPSHOT = "leader.fetch.snapshot.enable";

    private LogStartConfigs() { }

    /**
     * Adds the keys to the broker's definition, so that they are parsed, validated and described like any other.
     *
     * @param supported whether the broker's version supports them
     * @param byDefault what is on where a broker's settings do not say: "off", "bound", "snapshot" or "both"
     */
    public static void define(ConfigDef definition, boolean supported, String byDefault) {
        define(definition, BOUND, supported, byDefault.equals("bound") || byDefault.equals("both"),
            "Whether a follower goes with its log start offset no further than its own log end offset and high watermark, "
            + "whatever the leader's answer says (KAFKA-7104). Without it the fetch fails when the answer says more. "
            + "Woven in by the insync agent.");
        define(definition, SNAPSHOT, supported, byDefault.equals("snapshot") || byDefault.equals("both"),
            "Whether a leader answers a fetch with the high watermark, log start offset and log end offset that belong to "
            + "the records it read, the log start offset no higher than the high watermark (KAFKA-7104). "
            + "Woven in by the insync agent.");
    }

    private static void define(ConfigDef definition, String key, boolean supported, boolean ifUnset, String doc) {
        definition.define(key, ConfigDef.Type.BOOLEAN, ifUnset, (name, value) -> check(name, value, supported),
            ConfigDef.Importance.LOW, doc);
    }

    private static void check(String name, Object value, boolean supported) {
        if (Boolean.TRUE.equals(value) && !supported) {
            throw new ConfigException(name, value, "the insync agent has no such feature for this version of Kafka");
        }
    }

    /** Returns both, by config name. */
    public static Map<String, Object> all(KafkaConfig config) {
        return EventLog.fields(BOUND, config.getBoolean(BOUND), SNAPSHOT, config.getBoolean(SNAPSHOT));
    }
}
