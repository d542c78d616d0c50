package insync.agent.stepdown.broker;

import insync.agent.adapter.MovedClass;
import insync.agent.broker.BrokerLifecycle;
import insync.agent.weave.Hook;
import insync.agent.weave.TypeHooks;
import java.util.List;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import org.apache.kafka.common.config.AbstractConfig;

/** Weaves Kafka's BrokerLifecycleManager, which sends a broker's heartbeats, so that one can be sent at once. */
public final class LifecycleHooks extends TypeHooks {

    /** The class moved in 4.2. */
    static final String TYPE =
        MovedClass.to("kafka.server.BrokerLifecycleManager", "org.apache.kafka.server.BrokerLifecycleManager");

    public LifecycleHooks() {
        super(TYPE);
    }

    @Override
    public List<Hook> hooks() {
        return List.of(on("start", Start.class));
    }

    @Override
    public DynamicType.Builder<?> addMembers(DynamicType.Builder<?> builder) {
        return builder.implement(HeartbeatSender.class);
    }

    /** Finds the broker of a manager. */
    static final class Start {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This Object manager,
                         @Advice.FieldValue(value = "config", typing = Assigner.Typing.DYNAMIC) Object config) {
            BrokerLifecycle.sendsHeartbeats(((AbstractConfig) config).getInt("node.id"), (HeartbeatSender) manager);
        }
    }
}
