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
     * Adds the keys to the broker's config definition, so that Kafka parses, validates and describes them.
     *
     * @param supported whether the broker's version supports them
     * @param byDefault the default of brokers whose settings do not set them: "off", "bound", "snapshot" or "both"
     */
    public static void define(ConfigDef definition, boolean supported, String byDefault) {
        define(definition, BOUND, supported, byDefault.equals("bound") || byDefault.equals("both"),
            "Whether a follower bounds the log start offset of the leader's response by its own log end offset and high "
                + "watermark (KAFKA-7104). If false, a fetch with a higher log start offset fails. "
                + "Added by the insync agent.");
        define(definition, SNAPSHOT, supported, byDefault.equals("snapshot") || byDefault.equals("both"),
            "Whether a leader answers a fetch with the log start offset and log end offset at the time of the read, with a log "
                + "start offset no higher than the high watermark, and with the high watermark as the fetch moved it "
                + "(KAFKA-7104). Added by the insync agent.");
    }

    private static void define(ConfigDef definition, String key, boolean supported, boolean ifUnset, String doc) {
        definition.define(key, ConfigDef.Type.BOOLEAN, ifUnset, (name, value) -> check(name, value, supported),
            ConfigDef.Importance.LOW, doc);
    }

    private static void check(String name, Object value, boolean supported) {
        if (Boolean.TRUE.equals(value) && !supported) {
            throw new ConfigException(name, value, "the insync agent does not support it for this version of Kafka");
        }
    }

    /** Returns the values of both configs, by config name. */
    public static Map<String, Object> all(KafkaConfig config) {
        return EventLog.fields(BOUND, config.getBoolean(BOUND), SNAPSHOT, config.getBoolean(SNAPSHOT));
    }
}
