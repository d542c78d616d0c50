package insync.agent.stepdown.broker;

import insync.agent.weave.Hook;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import org.apache.kafka.common.utils.Time;

/** A broker's ReplicaManager exists: with the feature on, its watch begins. */
final class StepDownStartHook extends Hook {

    StepDownStartHook() {
        super("kafka.server.ReplicaManager", "<init>", Start.class);
    }

    static final class Start {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This ReplicaManager replicas, @Advice.Argument(0) KafkaConfig config,
                         @Advice.FieldValue("time") Time time,
                         @Advice.FieldValue(value = "alterPartitionManager", typing = Assigner.Typing.DYNAMIC)
                             Object manager) {
            StepDowns.started(replicas, config, time, manager);
        }
    }
}
