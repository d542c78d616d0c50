package insync.agent.v1_1;

import insync.agent.events.LiveConfigs;
import insync.agent.logstart.LogStartConfigs;
import insync.agent.weave.Hook;
import net.bytebuddy.asm.Advice;
import org.apache.kafka.common.config.ConfigDef;

/** Adds the plugin's configs to the broker's one definition of all configs, which Scala 2.12 makes in a constructor. */
final class DefineConfigHook extends Hook {

    DefineConfigHook() {
        super("kafka.server.KafkaConfig$", "<init>", Define.class);
    }

    static final class Define {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.FieldValue("kafka$server$KafkaConfig$$configDef") ConfigDef definition) {
            LogStartConfigs.define(definition);
            LiveConfigs.define(definition);
            Unsupported.define(definition);
        }
    }
}
