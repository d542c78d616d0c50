package insync.agent.config;

import insync.agent.AgentSetup;
import insync.agent.broker.Brokers;
import insync.agent.events.EventsTopicConfigs;
import insync.agent.isr.PendingReadsConfig;
import insync.agent.lagpolicy.LagPolicyConfig;
import insync.agent.logstart.LogStartConfigs;
import insync.agent.stepdown.broker.StepDownConfigs;
import insync.core.events.EventLog;
import java.util.Map;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;

/** Defines and checks the broker configs of all features. */
public final class BrokerConfigs {

    private BrokerConfigs() { }

    /** Adds the plugin's keys to the broker's definition of its configs. */
    public static void define(ConfigDef definition) {
        AgentSetup setup = Brokers.setup();
        PendingReadsConfig.define(definition, setup.scopes(), setup.options().defaultScope());
        StepDownConfigs.define(definition, setup.supportsStepDown());
        LogStartConfigs.define(definition, setup.supportsLogStart(), setup.options().defaultLogStart());
        LagPolicyConfig.define(definition, setup.supportsLagByMessages());
        EventsTopicConfigs.define(definition);
    }

    /**
     * Checks configs against each other.
     *
     * @throws ConfigException with the config, its value and what was expected
     */
    public static void check(KafkaConfig config) {
        StepDownConfigs.check(config);
        LagPolicyConfig.check(config);
        EventsTopicConfigs.check(config);
    }

    /** Returns those of a broker's settings that affect pending fetches, lag and log starts, by config name. */
    public static Map<String, Object> all(KafkaConfig config) {
        Map<String, Object> all = EventLog.fields(
            PendingReadsConfig.PENDING_READS, PendingReadsConfig.enabled(config),
            PendingReadsConfig.SCOPE, PendingReadsConfig.scope(config),
            PendingReadsConfig.LAG_TIME_MAX_MS, PendingReadsConfig.lagTimeMaxMs(config),
            LagPolicyConfig.POLICY, config.getString(LagPolicyConfig.POLICY));
        all.putAll(LogStartConfigs.all(config));
        return all;
    }
}
