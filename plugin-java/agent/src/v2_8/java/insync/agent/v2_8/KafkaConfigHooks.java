package insync.agent.v2_8;

import insync.agent.config.BrokerConfigs;
import insync.agent.weave.Hook;
import insync.agent.weave.TypeHooks;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.kafka.common.config.ConfigDef;

/** Weaves Kafka's KafkaConfig object, which has the only definition of all configs up to 3.8. */
public final class KafkaConfigHooks extends TypeHooks {

    public KafkaConfigHooks() {
        super("kafka.server.KafkaConfig$");
    }

    @Override
    public List<Hook> hooks() {
        return List.of(on("<clinit>", Define.class));
    }

    /** Defines the plugin's configs; those that the version lacks only to refuse them. */
    static final class Define {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.FieldValue("configDef") ConfigDef definition) {
            BrokerConfigs.define(definition);
        }
    }
}
