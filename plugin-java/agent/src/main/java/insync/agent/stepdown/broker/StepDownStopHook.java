package insync.agent.stepdown.broker;

import insync.agent.weave.Hook;
import kafka.server.KafkaConfig;
import net.bytebuddy.asm.Advice;

/** A broker's ReplicaManager shuts down, and its watch with it. */
final class StepDownStopHook extends Hook {

    StepDownStopHook() {
        super("kafka.server.ReplicaManager", "shutdown", Stop.class);
    }

    static final class Stop {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.FieldValue("config") KafkaConfig config) {
            if (StepDowns.active()) {
                StepDowns.stopped(config);
            }
        }
    }
}
