package insync.agent.kafka;

import insync.agent.kafka.lagpolicy.LagPolicyConfig;
import insync.agent.kafka.live.LiveConfigs;
import insync.agent.kafka.stepdown.StepDownConfigs;
import insync.agent.weave.Hook;
import kafka.server.KafkaConfig;
import net.bytebuddy.asm.Advice;

/**
 * Kafka has checked a broker's configs against each other: ours are checked with them. The one hook whose exception is
 * meant for Kafka: a ConfigException, as Kafka's own checks throw it.
 */
final class CheckConfigHook extends Hook {

    CheckConfigHook() {
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
