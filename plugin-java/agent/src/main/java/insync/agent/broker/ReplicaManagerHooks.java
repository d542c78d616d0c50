package insync.agent.broker;

import insync.agent.weave.Hook;
import insync.agent.weave.TypeHooks;
import java.util.List;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import net.bytebuddy.matcher.ElementMatcher;
import org.apache.kafka.common.utils.Time;

/** Weaves Kafka's ReplicaManager, to start and stop the plugin with the broker. */
public final class ReplicaManagerHooks extends TypeHooks {
    private static final String TYPE = "kafka.server.ReplicaManager";
    private final List<Hook> hooks;

    /** For versions with solution 2, in which ReplicaManager has one constructor. */
    public ReplicaManagerHooks() {
        super(TYPE);
        hooks = List.of(on("<init>", Init.class), on("<init>", StepDownInit.class), on("shutdown", Shutdown.class));
    }

    /** @param constructor selects the constructor that all others call */
    public ReplicaManagerHooks(ElementMatcher<MethodDescription> constructor) {
        super(TYPE);
        hooks = List.of(on("<init>", constructor, Init.class));
    }

    @Override
    public List<Hook> hooks() {
        return hooks;
    }

    /**
     * Starts the plugin in a broker. Ends the broker's start with a ConfigException if what its settings ask for cannot be
     * woven, so nothing is suppressed.
     */
    static final class Init {
        @Advice.OnMethodExit
        static void exit(@Advice.This ReplicaManager replicas, @Advice.Argument(0) KafkaConfig config,
                         @Advice.FieldValue("time") Time time) {
            BrokerLifecycle.of(config).replicaManagerStarted(replicas, config, time);
        }
    }

    /** Starts the watch if the feature is on. */
    static final class StepDownInit {
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
