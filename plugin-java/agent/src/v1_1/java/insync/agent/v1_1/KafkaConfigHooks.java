package insync.agent.v1_1;

import insync.agent.config.BrokerConfigs;
import insync.agent.weave.TypeHooks;
import net.bytebuddy.asm.Advice;
import org.apache.kafka.common.config.ConfigDef;

/** Weaves Kafka's KafkaConfig object, which has the only definition of all configs; Scala 2.12 sets it in a constructor. */
final class KafkaConfigHooks extends TypeHooks {

    KafkaConfigHooks() {
        super("kafka.server.KafkaConfig$");
        on("<init>", Define.class);
    }

    /** Defines the plugin's configs; those of features that this version lacks only to refuse them. */
    static final class Define {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.FieldValue("kafka$server$KafkaConfig$$configDef") ConfigDef definition) {
            BrokerConfigs.define(definition);
        }
    }
}
