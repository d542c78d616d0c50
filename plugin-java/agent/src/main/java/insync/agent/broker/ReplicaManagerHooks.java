package insync.agent.broker;

import insync.agent.weave.Hook;
import insync.agent.weave.TypeHooks;
import java.util.List;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.matcher.ElementMatchers;
import org.apache.kafka.common.utils.Time;

/** Weaves Kafka's ReplicaManager, to start the plugin with the broker. */
public final class ReplicaManagerHooks extends TypeHooks {
    private final ElementMatcher<MethodDescription> constructor;

    /** For versions in which ReplicaManager has one constructor. */
    public ReplicaManagerHooks() {
        this(ElementMatchers.isConstructor());
    }

    /** @param constructor selects the constructor that all others call */
    public ReplicaManagerHooks(ElementMatcher<MethodDescription> constructor) {
        super("kafka.server.ReplicaManager");
        this.constructor = constructor;
    }

    @Override
    public List<Hook> hooks() {
        return List.of(on("<init>", constructor, Init.class));
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
}
