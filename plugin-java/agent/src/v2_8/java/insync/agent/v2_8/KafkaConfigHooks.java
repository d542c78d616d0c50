package insync.agent.v2_8;

import insync.agent.config.BrokerConfigs;
import insync.agent.weave.Hook;
import insync.agent.weave.TypeHooks;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.kafka.common.config.ConfigDef;

/** Weaves Kafka's KafkaConfig object, which has the only definition of all configs. */
final class KafkaConfigHooks extends TypeHooks {

    KafkaConfigHooks() {
        super("kafka.server.KafkaConfig$");
    }

    @Override
    public List<Hook> hooks() {
        return List.of(on("<clinit>", Define.class));
    }

    /** Defines the plugin's configs; those of solution 2 only to refuse them. */
    static final class Define {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.FieldValue("configDef") ConfigDef definition) {
            BrokerConfigs.define(definition);
        }
    }
}
