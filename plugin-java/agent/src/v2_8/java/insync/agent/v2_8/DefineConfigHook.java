package insync.agent.v2_8;

import insync.agent.events.LiveConfigs;
import insync.agent.isr.Settings;
import insync.agent.lagpolicy.LagPolicyConfig;
import insync.agent.logstart.LogStartConfigs;
import insync.agent.stepdown.broker.StepDownConfigs;
import insync.agent.weave.Hook;
import net.bytebuddy.asm.Advice;
import org.apache.kafka.common.config.ConfigDef;

/** Adds the plugin's configs to the broker's one definition of all configs; those of solution 2, so that they are refused. */
final class DefineConfigHook extends Hook {

    DefineConfigHook() {
        super("kafka.server.KafkaConfig$", "<clinit>", Define.class);
    }

    static final class Define {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.FieldValue("configDef") ConfigDef definition) {
            Settings.define(definition);
            StepDownConfigs.define(definition);
            LogStartConfigs.define(definition);
            LagPolicyConfig.define(definition);
            LiveConfigs.define(definition);
        }
    }
}
