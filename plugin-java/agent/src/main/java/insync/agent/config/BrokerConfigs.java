package insync.agent.config;

import insync.agent.events.LiveConfigs;
import insync.agent.isr.Settings;
import insync.agent.lagpolicy.LagPolicyConfig;
import insync.agent.logstart.LogStartConfigs;
import insync.agent.stepdown.broker.StepDownConfigs;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;

/** Defines and checks the broker configs of all features. */
public final class BrokerConfigs {

    private BrokerConfigs() { }

    /** Adds the plugin's keys to the broker's definition of its configs. */
    public static void define(ConfigDef definition) {
        Settings.define(definition);
        StepDownConfigs.define(definition);
        LogStartConfigs.define(definition);
        LagPolicyConfig.define(definition);
        LiveConfigs.define(definition);
    }

    /**
     * Checks what one config cannot say about itself.
     *
     * @throws ConfigException naming the config, its value and what was expected
     */
    static void check(KafkaConfig config) {
        StepDownConfigs.check(config);
        LagPolicyConfig.check(config);
        LiveConfigs.check(config);
    }
}
