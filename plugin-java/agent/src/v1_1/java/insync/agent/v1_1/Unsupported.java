package insync.agent.v1_1;

import insync.agent.isr.PendingReadsConfig;
import insync.agent.stepdown.broker.StepDownConfigs;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;

/** Defines the configs of unsupported features, so that Kafka refuses to turn one on instead of ignoring it. */
public final class Unsupported {
    private static final String KIP = "KIP-501";
    private static final long NEVER = -1;

    private Unsupported() { }

    public static void define(ConfigDef definition) {
        definition.define(PendingReadsConfig.PENDING_READS, ConfigDef.Type.BOOLEAN, false,
            (name, value) -> refuse(KIP, name, value, Boolean.TRUE.equals(value)), ConfigDef.Importance.LOW, doc(KIP));
        definition.define(StepDownConfigs.PROCESS_TIME_MAX_MS, ConfigDef.Type.LONG, NEVER,
            (name, value) -> refuse(KIP, name, value, !Long.valueOf(NEVER).equals(value)),
            ConfigDef.Importance.LOW, doc(KIP));
    }

    private static String doc(String what) {
        return what + ": not supported for this version of Kafka.";
    }

    private static void refuse(String what, String name, Object value, boolean on) {
        if (on) {
            throw new ConfigException(name, value, "the insync agent has no " + what + " for this version of Kafka");
        }
    }
}
