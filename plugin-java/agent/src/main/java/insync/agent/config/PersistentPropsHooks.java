package insync.agent.config;

import insync.agent.weave.Hook;
import insync.agent.weave.TypeHooks;
import java.util.List;
import java.util.Properties;
import net.bytebuddy.asm.Advice;
import scala.collection.mutable.Map;

/** Weaves Kafka's DynamicBrokerConfig, which reads a broker's updated configs from the metadata log. */
public final class PersistentPropsHooks extends TypeHooks {

    public PersistentPropsHooks() {
        super("kafka.server.DynamicBrokerConfig");
    }

    @Override
    public List<Hook> hooks() {
        return List.of(on("fromPersistentProps", FromPersistentProps.class));
    }

    /**
     * Keeps the previous value of a config of the plugin whose new value Kafka ignores because it is invalid. A controller does
     * not check values, so an invalid one can arrive; without this it would turn a feature off.
     */
    static final class FromPersistentProps {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.Argument(0) Properties persistent, @Advice.Argument(1) boolean perBroker,
                         @Advice.FieldValue("dynamicBrokerConfigs") Map<String, String> ofBroker,
                         @Advice.FieldValue("dynamicDefaultConfigs") Map<String, String> ofCluster,
                         @Advice.Return Properties valid) {
            DynamicConfigs.keepPrevious(persistent, valid, perBroker ? ofBroker : ofCluster);
        }
    }
}
