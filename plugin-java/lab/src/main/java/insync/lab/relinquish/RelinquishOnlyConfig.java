package insync.lab.relinquish;

import insync.agent.isr.PendingReadsConfig;
import insync.agent.stepdown.broker.StepDownConfigs;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;

/** Defines and checks the config of the alternative that KIP-501's text rejects. */
public final class RelinquishOnlyConfig {
    public static final String ONLY = "insync.lab.relinquish.only.enable";

    private RelinquishOnlyConfig() { }

    /**
     * Adds the key to the broker's config definition, so that Kafka parses, validates and describes it.
     *
     * @param supported whether a leader can step down in the broker's version
     */
    public static void define(ConfigDef definition, boolean supported) {
        definition.define(ONLY, ConfigDef.Type.BOOLEAN, false,
            (name, value) -> checkSupported(name, value, supported), ConfigDef.Importance.LOW,
            "Whether a leader steps down without solution 1 of KIP-501, and also when a read for a follower fails. For "
            + "comparison only: KIP-501 names this among its rejected alternatives, because of ISR thrashing. Needs "
            + PendingReadsConfig.PENDING_READS + "=false, and " + StepDownConfigs.PROCESS_TIME_MAX_MS + " of at least "
            + PendingReadsConfig.LAG_TIME_MAX_MS + ". " + PendingReadsConfig.SCOPE
            + " says which part of a fetch's processing counts.");
    }

    private static void checkSupported(String name, Object value, boolean supported) {
        if (Boolean.TRUE.equals(value) && !supported) {
            throw new ConfigException(name, value, "expected false: the insync agent has no step-down for this version of Kafka");
        }
    }

    /** Checks the rejected alternative: without solution 1, and with the least time that the KIP names for it. */
    public static void check(KafkaConfig config) {
        if (!isOn(config)) {
            return;
        }
        if (PendingReadsConfig.enabled(config)) {
            throw new ConfigException(ONLY, true, "expected false, or " + PendingReadsConfig.PENDING_READS
                + "=false: KIP-501 rejects it in favour of solution 1");
        }
        long lag = PendingReadsConfig.lagTimeMaxMs(config);
        if (config.getLong(StepDownConfigs.PROCESS_TIME_MAX_MS) < lag) {
            throw new ConfigException(ONLY, true, "expected false, or " + StepDownConfigs.PROCESS_TIME_MAX_MS + " of at least "
                + PendingReadsConfig.LAG_TIME_MAX_MS + ", which is " + lag);
        }
    }

    public static boolean isOn(KafkaConfig config) {
        return config.getBoolean(ONLY);
    }
}
