package insync.agent.config;

import insync.agent.weave.Hook;
import insync.agent.weave.TypeHooks;
import java.util.List;
import java.util.Map;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.matcher.ElementMatchers;
import org.apache.kafka.common.config.ConfigResource;

/** Weaves the class by which a controller checks an update of configs; of a broker's Kafka's own checks nothing but its id. */
public final class ConfigurationValidatorHooks extends TypeHooks {

    public ConfigurationValidatorHooks() {
        super("kafka.server.ControllerConfigurationValidator");
    }

    @Override
    public List<Hook> hooks() {
        return List.of(on("validate", ElementMatchers.named("validate").and(ElementMatchers.takesArgument(1, Map.class)),
            Validate.class));
    }

    /** Refuses invalid values of the plugin's configs as Kafka refuses those of a topic, so its exceptions are not suppressed. */
    static final class Validate {
        @Advice.OnMethodExit
        static void exit(@Advice.Argument(0) ConfigResource resource, @Advice.Argument(1) Map<String, String> updated) {
            BrokerConfigs.checkUpdate(resource, updated);
        }
    }
}
