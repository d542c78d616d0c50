package insync.agent.logstart;

import insync.core.logstart.LogStartStats;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;

/** Defines and reads the broker config against KAFKA-7104. */
public final class LogStartConfigs {
    /** Which of the JIRA's two fixes are on: {@code off}, {@code bound}, {@code snapshot} or {@code both}. */
    public static final String FIX = "insync.log.start.fix";
    private static final String OFF = "off";
    private static final String BOUND = "bound";
    private static final String SNAPSHOT = "snapshot";
    private static final String BOTH = "both";

    private LogStartConfigs() { }

    /**
     * Adds the key to the broker's config definition, so that Kafka parses, validates and describes it.
     *
     * @param supported whether the broker's version supports the fixes
     */
    public static void define(ConfigDef definition, boolean supported) {
        ConfigDef.Validator known = ConfigDef.ValidString.in(OFF, BOUND, SNAPSHOT, BOTH);
        definition.define(FIX, ConfigDef.Type.STRING, OFF, (name, value) -> {
            known.ensureValid(name, value);
            if (!value.equals(OFF) && !supported) {
                throw new ConfigException(name, value, "the insync agent does not support it for this version of Kafka");
            }
        }, ConfigDef.Importance.LOW,
            "Which fixes of KAFKA-7104 are on. <code>bound</code>: a follower bounds the log start offset of the leader's response "
                + "by its own log end offset and high watermark. <code>snapshot</code>: a leader answers a fetch with the log start "
                + "offset and log end offset at the time of the read, with a log start offset no higher than the high watermark, and "
                + "with the high watermark as the fetch moved it. <code>both</code>. <code>off</code>: a fetch with a higher log start "
                + "offset fails. Added by the insync agent.");
    }

    /** Turns on the fixes that a broker's settings ask for, in all brokers of this JVM. */
    public static void turnOn(KafkaConfig config, LogStartStats fixes) {
        String value = config.getString(FIX);
        fixes.turnOn(value.equals(BOUND) || value.equals(BOTH), value.equals(SNAPSHOT) || value.equals(BOTH));
    }
}
