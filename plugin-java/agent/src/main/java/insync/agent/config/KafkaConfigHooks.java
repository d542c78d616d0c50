package insync.agent.config;

import insync.agent.broker.BrokerLifecycle;
import insync.agent.weave.Hook;
import insync.agent.weave.TypeHooks;
import java.util.List;
import kafka.server.KafkaConfig;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.matcher.ElementMatchers;

/** Weaves Kafka's KafkaConfig, which checks a broker's configs against each other and takes updated values. */
public final class KafkaConfigHooks extends TypeHooks {

    public KafkaConfigHooks() {
        super("kafka.server.KafkaConfig");
    }

    @Override
    public List<Hook> hooks() {
        return List.of(on("validateValues", ValidateValues.class),
            on("updateCurrentConfig", ElementMatchers.named("updateCurrentConfig")
                .and(ElementMatchers.takesArgument(0, ElementMatchers.named(typeName()))), UpdateCurrentConfig.class));
    }

    /**
     * Checks the plugin's configs after Kafka's own, and registers a controller's metrics. Like Kafka's checks it throws
     * ConfigExceptions, so its exceptions are not suppressed.
     */
    static final class ValidateValues {
        @Advice.OnMethodExit
        static void exit(@Advice.This KafkaConfig config) {
            BrokerConfigs.check(config);
            BrokerLifecycle.configured(config);
        }
    }

    /** Applies updated values to the plugin's parts of the broker. */
    static final class UpdateCurrentConfig {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This KafkaConfig config) {
            BrokerLifecycle.reconfigured(config);
        }
    }
}
