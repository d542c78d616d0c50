package insync.agent.config;

import insync.agent.events.LiveConfigs;
import insync.agent.lagpolicy.LagPolicyConfig;
import insync.agent.stepdown.broker.StepDownConfigs;
import insync.agent.weave.Hook;
import kafka.server.KafkaConfig;
import net.bytebuddy.asm.Advice;

/**
 * Kafka has checked a broker's configs against each other: ours are checked with them. The one hook whose exception is
 * meant for Kafka: a ConfigException, as Kafka's own checks throw it.
 */
public final class CheckConfigHook extends Hook {

    public CheckConfigHook() {
        super("kafka.server.KafkaConfig", "validateValues", Check.class);
    }

    static final class Check {
        @Advice.OnMethodExit
        static void exit(@Advice.This KafkaConfig config) {
            StepDownConfigs.check(config);
            LagPolicyConfig.check(config);
            LiveConfigs.check(config);
        }
    }
}
