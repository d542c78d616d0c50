package insync.lab.lagpolicy;

import insync.agent.isr.PendingReadsConfig;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;

/** Defines, checks and reads the broker config of Kafka 0.8's rule, which exists for comparison. */
public final class LagPolicyConfig {
    public static final String POLICY = "insync.lab.lag.policy";
    /** Kafka's own rule. */
    public static final String TIME = "time";
    /** At most as many digits as fit into a long. */
    private static final Pattern MESSAGES = Pattern.compile("messages:([1-9][0-9]{0,17})");
    private static final String EXPECTED = "time, or messages:N with N at least 1";

    private LagPolicyConfig() { }

    /**
     * Adds the key to the broker's config definition, so that Kafka parses, validates and describes it.
     *
     * @param supported whether the broker's version supports lag by messages
     */
    public static void define(ConfigDef definition, boolean supported) {
        definition.define(POLICY, ConfigDef.Type.STRING, TIME,
            (name, value) -> checkValue(name, value, supported),
            ConfigDef.Importance.LOW,
            "When a follower is out of sync. <code>time</code>: when it was not caught up for replica.lag.time.max.ms. "
                + "<code>messages:N</code>: when it is more than N messages behind, or behind and has not fetched for "
                + "replica.lag.time.max.ms, as with replica.lag.max.messages of Kafka 0.8. Use it only to "
                + "compare: a burst of messages removes followers that keep up. Added by the insync agent.");
    }

    private static void checkValue(String name, Object value, boolean supported) {
        if (value == null || !value.equals(TIME) && !MESSAGES.matcher((String) value).matches()) {
            throw new ConfigException(name, value, "expected " + EXPECTED);
        }
        if (!value.equals(TIME) && !supported) {
            throw new ConfigException(name, value, "the insync agent has no lag by messages for this version of Kafka");
        }
    }

    /**
     * Checks the config against others.
     *
     * @throws ConfigException with the config, its value and what was expected
     */
    public static void check(KafkaConfig config) {
        if (rule(config) != null && PendingReadsConfig.enabled(config)) {
            throw new ConfigException(POLICY, config.getString(POLICY), "expected " + TIME + ", or "
                + PendingReadsConfig.PENDING_READS + "=false, because that feature corrects a lag by time");
        }
    }

    /** Returns the rule that replaces Kafka's own, or null for Kafka's own. */
    static MessageLagRule rule(KafkaConfig config) {
        Matcher policy = MESSAGES.matcher(config.getString(POLICY));
        return policy.matches() ? new MessageLagRule(Long.parseLong(policy.group(1))) : null;
    }
}
