package insync.agent.stepdown.broker;

import insync.agent.broker.BrokerLifecycle;
import insync.agent.weave.Hook;
import insync.agent.weave.TypeHooks;
import java.util.List;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import org.apache.kafka.common.utils.Time;

/** Weaves Kafka's ReplicaManager, to start and stop the step-down watch with it. */
public final class ReplicaManagerHooks extends TypeHooks {

    public ReplicaManagerHooks() {
        super("kafka.server.ReplicaManager");
    }

    @Override
    public List<Hook> hooks() {
        return List.of(on("<init>", Init.class), on("shutdown", Shutdown.class));
    }

    /** Starts the watch if the feature is on. */
    static final class Init {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This ReplicaManager replicas, @Advice.Argument(0) KafkaConfig config,
                         @Advice.FieldValue("time") Time time,
                         @Advice.FieldValue(value = "alterPartitionManager", typing = Assigner.Typing.DYNAMIC)
                             Object manager) {
            BrokerLifecycle.of(config).alterPartitionsStarted(replicas, config, time, manager);
        }
    }

    /** Stops the watch, and the threads of scope "read". */
    static final class Shutdown {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.FieldValue("config") KafkaConfig config) {
            BrokerLifecycle.of(config).replicaManagerStopped();
        }
    }
}
