package insync.agent.config;

import insync.agent.events.LiveConfigs;
import insync.agent.isr.Settings;
import insync.agent.lagpolicy.LagPolicyConfig;
import insync.agent.logstart.LogStartConfigs;
import insync.agent.stepdown.broker.StepDownConfigs;
import insync.agent.weave.Hook;
import net.bytebuddy.asm.Advice;
import org.apache.kafka.common.config.ConfigDef;

/**
 * Defines the plugin's configs beside replica.lag.time.max.ms, in the class from which AbstractKafkaConfig
 * merges its definition: they are then read, validated and described by Kafka itself.
 */
public final class DefineConfigHook extends Hook {

    public DefineConfigHook() {
        super("org.apache.kafka.server.config.ReplicationConfigs", "<clinit>", Define.class);
    }

    static final class Define {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.FieldValue("CONFIG_DEF") ConfigDef definition) {
            Settings.define(definition);
            StepDownConfigs.define(definition);
            LogStartConfigs.define(definition);
            LagPolicyConfig.define(definition);
            LiveConfigs.define(definition);
        }
    }
}
