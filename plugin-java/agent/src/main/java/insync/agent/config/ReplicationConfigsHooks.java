package insync.agent.config;

import insync.agent.weave.Hook;
import insync.agent.weave.TypeHooks;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.kafka.common.config.ConfigDef;

/** Weaves Kafka's ReplicationConfigs, one of the classes from which Kafka merges the definition of a broker's configs. */
public final class ReplicationConfigsHooks extends TypeHooks {

    public ReplicationConfigsHooks() {
        super("org.apache.kafka.server.config.ReplicationConfigs");
    }

    @Override
    public List<Hook> hooks() {
        return List.of(on("<clinit>", Define.class));
    }

    /** Defines the plugin's configs beside Kafka's, so that Kafka reads, validates and describes them. */
    static final class Define {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.FieldValue("CONFIG_DEF") ConfigDef definition) {
            BrokerConfigs.define(definition);
        }
    }
}
