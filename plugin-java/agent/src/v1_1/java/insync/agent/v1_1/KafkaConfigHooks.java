package insync.agent.v1_1;

import insync.agent.Extension;
import insync.agent.Features;
import insync.agent.config.BrokerConfigs;
import insync.agent.logstart.LogStartConfigs;
import insync.agent.weave.TypeHooks;
import java.util.Set;
import net.bytebuddy.asm.Advice;
import org.apache.kafka.common.config.ConfigDef;

/**
 * Weaves Kafka's KafkaConfig object, which has the only definition of all configs; Scala 2.12 sets it in a constructor.
 */
final class KafkaConfigHooks extends TypeHooks {

    KafkaConfigHooks() {
        super("kafka.server.KafkaConfig$");
        on("<init>", Define.class);
    }

    /** Defines the plugin's configs. */
    static final class Define {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.FieldValue("kafka$server$KafkaConfig$$configDef") ConfigDef definition) {
            Set<String> kafkas = BrokerConfigs.names(definition);
            LogStartConfigs.define(definition, true, Features.current().defaultLogStart());
            Extension.current().define(definition);
            Unsupported.define(definition);
            BrokerConfigs.added(definition, kafkas);
        }
    }
}
