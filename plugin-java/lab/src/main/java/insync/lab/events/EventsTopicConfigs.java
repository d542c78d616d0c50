package insync.lab.events;

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
    private static final String EXPECTED_ADDRESSES = "host:port, or several separated by commas";

    private EventsTopicConfigs() { }

    /** Adds the keys to the broker's config definition, so that Kafka parses, validates and describes them. */
    public static void define(ConfigDef definition) {
        definition.define(TOPIC, ConfigDef.Type.STRING, NONE, EventsTopicConfigs::checkTopic, ConfigDef.Importance.LOW,
            "A topic to which the insync agent also writes its events, one JSON line per record. Empty means no topic. The agent "
                + "does not create it. If the topic cannot be written and the agent's queue is full, events are dropped and "
                + "counted; the broker never waits. Events about the topic itself are left out.");
        definition.define(BOOTSTRAP, ConfigDef.Type.STRING, NONE, EventsTopicConfigs::checkAddresses, ConfigDef.Importance.LOW,
            "Bootstrap addresses for " + TOPIC + ". Empty means this broker's listener without encryption and "
                + "authentication. Producer configs have the prefix <code>" + PRODUCER_PREFIX + "</code>.");
        definition.define(ORIGIN, ConfigDef.Type.STRING, NONE, ConfigDef.Importance.LOW,
            "A name, for example of the cluster, that comes first in the keys of this broker's records in " + TOPIC + ".");
    }

    private static void checkTopic(String name, Object value) {
        if (NONE.equals(value)) {
            return;
        }
        try {
            Topic.validate((String) value);
        } catch (InvalidTopicException invalid) {
            throw new ConfigException(name, value, "expected a topic's name or an empty value: " + invalid.getMessage());
        }
    }

    private static void checkAddresses(String name, Object value) {
        if (!NONE.equals(value) && !ADDRESSES.matcher((String) value).matches()) {
            throw new ConfigException(name, value, "expected " + EXPECTED_ADDRESSES + ", or an empty value");
        }
    }

    /**
     * Checks configs against each other.
     *
     * @throws ConfigException with the config, its value and what was expected
     */
    public static void check(KafkaConfig config) {
        boolean onlyController = "controller".equals(String.valueOf(config.originals().get("process.roles")).trim());
        if (isOn(config) && !onlyController && bootstrap(config) == null) {
            throw new ConfigException(BOOTSTRAP, config.getString(BOOTSTRAP), "expected " + EXPECTED_ADDRESSES
                + ": this broker has no plaintext listener that leads to the topic");
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

    /** Returns the values of these configs by name, for an event. */
    static Map<String, Object> all(KafkaConfig config) {
        return EventLog.fields(TOPIC, config.getString(TOPIC), BOOTSTRAP, bootstrap(config),
            ORIGIN, config.getString(ORIGIN));
    }
}
