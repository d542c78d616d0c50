package insync.agent.config;

import insync.agent.weave.Hook;
import insync.agent.weave.TypeHooks;
import java.util.List;
import kafka.server.KafkaConfig;
import net.bytebuddy.asm.Advice;

/** Weaves Kafka's KafkaConfig, which checks a broker's configs against each other. */
public final class KafkaConfigHooks extends TypeHooks {

    public KafkaConfigHooks() {
        super("kafka.server.KafkaConfig");
    }

    @Override
    public List<Hook> hooks() {
        return List.of(on("validateValues", ValidateValues.class));
    }

    /**
     * Checks the plugin's configs after Kafka's own. Like Kafka's checks it throws ConfigExceptions, so its exceptions are
     * not suppressed.
     */
    static final class ValidateValues {
        @Advice.OnMethodExit
        static void exit(@Advice.This KafkaConfig config) {
            BrokerConfigs.check(config);
        }
    }
}
