package insync.agent.v1_1;

import insync.agent.kafka.Settings;
import insync.agent.kafka.stepdown.StepDownConfigs;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;

/** KIP-501's configs, which this version must not silently ignore: whoever turns one on is told that there is nothing. */
public final class Unsupported {
    private static final String DOC = "KIP-501: not for this version of Kafka.";
    private static final long NEVER = -1;

    private Unsupported() { }

    public static void define(ConfigDef definition) {
        definition.define(Settings.PENDING_READS, ConfigDef.Type.BOOLEAN, false,
            (name, value) -> refuse(name, value, Boolean.TRUE.equals(value)), ConfigDef.Importance.LOW, DOC);
        definition.define(StepDownConfigs.PROCESS_TIME_MAX_MS, ConfigDef.Type.LONG, NEVER,
            (name, value) -> refuse(name, value, !Long.valueOf(NEVER).equals(value)), ConfigDef.Importance.LOW, DOC);
    }

    private static void refuse(String name, Object value, boolean on) {
        if (on) {
            throw new ConfigException(name, value, "the insync agent has no KIP-501 for this version of Kafka");
        }
    }
}
