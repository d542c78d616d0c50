package insync.agent.events;

import insync.core.events.EventLog;
import java.util.Map;
import java.util.regex.Pattern;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.internals.Topic;

/** Defines, checks and reads the broker configs by which the agent's events also go to a Kafka topic. */
public final class EventsTopicConfigs {
    public static final String TOPIC = "insync.events.topic";
    public static final String BOOTSTRAP = "insync.events.bootstrap";
    public static final String ORIGIN = "insync.events.origin";
    /** The prefix of the producer's own configs, such as security.protocol. */
    public static final String PRODUCER_PREFIX = "insync.events.producer.";

    private static final String NONE = "";
    private static final Pattern ADDRESSES = Pattern.compile("[^\\s,]+:\\d{1,5}(\\s*,\\s*[^\\s,]+:\\d{1,5})*");
    private static final String EXPECTED_ADDRESSES = "host:port, or several of them with commas between";

    private EventsTopicConfigs() { }

    /** Adds the keys to the broker's definition, so that they are parsed, validated and described like any other. */
    public static void define(ConfigDef definition) {
        definition.define(TOPIC, ConfigDef.Type.STRING, NONE, EventsTopicConfigs::checkTopic, ConfigDef.Importance.LOW,
            "A topic to which the insync agent writes its events as well, one JSON line per record. Empty is none. It is not "
            + "created here. What does not fit into the agent's queue while the topic cannot be written is dropped and "
            + "counted; the broker never waits for it. Events about the topic itself are left out.");
        definition.define(BOOTSTRAP, ConfigDef.Type.STRING, NONE, EventsTopicConfigs::checkAddresses, ConfigDef.Importance.LOW,
            "Brokers by which " + TOPIC + " is found. Empty: this broker itself, by a listener without encryption and "
            + "authentication. Configs of the producer follow <code>" + PRODUCER_PREFIX + "</code>.");
        definition.define(ORIGIN, ConfigDef.Type.STRING, NONE, ConfigDef.Importance.LOW,
            "What the broker belongs to: the keys of its records in " + TOPIC + " begin with it and a slash.");
    }

    private static void checkTopic(String name, Object value) {
        if (NONE.equals(value)) {
            return;
        }
        try {
            Topic.validate((String) value);
        } catch (InvalidTopicException invalid) {
            throw new ConfigException(name, value, "expected a topic's name or nothing: " + invalid.getMessage());
        }
    }

    private static void checkAddresses(String name, Object value) {
        if (!NONE.equals(value) && !ADDRESSES.matcher((String) value).matches()) {
            throw new ConfigException(name, value, "expected " + EXPECTED_ADDRESSES + ", or nothing");
        }
    }

    /**
     * Checks what one config cannot check by itself.
     *
     * @throws ConfigException naming the config, its value and what was expected
     */
    public static void check(KafkaConfig config) {
        boolean onlyController = "controller".equals(String.valueOf(config.originals().get("process.roles")).trim());
        if (isOn(config) && !onlyController && bootstrap(config) == null) {
            throw new ConfigException(BOOTSTRAP, config.getString(BOOTSTRAP), "expected " + EXPECTED_ADDRESSES
                + ": this broker has no plaintext listener of its own at which to find the topic");
        }
    }

    static boolean isOn(KafkaConfig config) {
        return !config.getString(TOPIC).isEmpty();
    }

    /** Returns the bootstrap addresses, or null if none is set and the broker has no suitable listener. */
    static String bootstrap(KafkaConfig config) {
        String set = config.getString(BOOTSTRAP);
        return set.isEmpty() ? new OwnListeners(config.originals()).plaintext() : set;
    }

    /** Returns all of them, by config name, for an event. */
    static Map<String, Object> all(KafkaConfig config) {
        return EventLog.fields(TOPIC, config.getString(TOPIC), BOOTSTRAP, bootstrap(config),
            ORIGIN, config.getString(ORIGIN));
    }
}
