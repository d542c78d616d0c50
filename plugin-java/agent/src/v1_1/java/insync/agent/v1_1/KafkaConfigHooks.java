package insync.agent.v1_1;

import insync.agent.config.BrokerConfigs;
import insync.agent.isr.PendingReadsConfig;
import insync.agent.logstart.LogStartConfigs;
import insync.agent.stepdown.broker.StepDownConfigs;
import insync.agent.weave.TypeHooks;
import net.bytebuddy.asm.Advice;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;

/**
 * Weaves Kafka's KafkaConfig object, which has the only definition of all configs; Scala 2.12 sets it in a constructor.
 */
public final class KafkaConfigHooks extends TypeHooks {
    private static final String DOC = "KIP-501: not supported for this version of Kafka.";
    private static final long NEVER = -1;

    KafkaConfigHooks() {
        super("kafka.server.KafkaConfig$");
        on("<init>", Define.class);
    }

    /** Defines the configs; those of unsupported features, too, so that Kafka refuses to turn one on instead of ignoring it. */
    public static void define(ConfigDef definition) {
        ConfigDef own = new ConfigDef();
        LogStartConfigs.define(own, true);
        own.define(PendingReadsConfig.PENDING_READS, ConfigDef.Type.BOOLEAN, false,
            (name, value) -> refuse(name, value, Boolean.TRUE.equals(value)), ConfigDef.Importance.LOW, DOC);
        own.define(StepDownConfigs.PROCESS_TIME_MAX_MS, ConfigDef.Type.LONG, NEVER,
            (name, value) -> refuse(name, value, !Long.valueOf(NEVER).equals(value)),
            ConfigDef.Importance.LOW, DOC);
        BrokerConfigs.add(own, definition);
    }

    private static void refuse(String name, Object value, boolean on) {
        if (on) {
            throw new ConfigException(name, value, "the insync agent has no KIP-501 for this version of Kafka");
        }
    }

    /** Defines the plugin's configs. */
    static final class Define {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.FieldValue("kafka$server$KafkaConfig$$configDef") ConfigDef definition) {
            KafkaConfigHooks.define(definition);
        }
    }
}
