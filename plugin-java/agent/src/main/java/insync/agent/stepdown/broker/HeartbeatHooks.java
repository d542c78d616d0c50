package insync.agent.stepdown.broker;

import insync.agent.broker.BrokerLifecycle;
import insync.agent.broker.Brokers;
import insync.agent.broker.StepDown.HeartbeatSender;
import insync.agent.weave.TypeHooks;
import java.util.List;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import net.bytebuddy.matcher.ElementMatchers;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;

/** Weaves what sends a broker's heartbeats, builds them, and gets the answers: whether the controller has fenced the broker. */
public final class HeartbeatHooks extends TypeHooks {
    /** The class moved in 4.2. */
    private static final String MANAGER =
        moved("kafka.server.BrokerLifecycleManager", "org.apache.kafka.server.BrokerLifecycleManager");

    private HeartbeatHooks() {
        super(MANAGER);
        on("start", Start.class);
        implement(HeartbeatSender.class);
    }

    public static List<TypeHooks> types() {
        boolean isScala = MANAGER.startsWith("kafka.");
        return List.of(new HeartbeatHooks(),
            new TypeHooks("org.apache.kafka.common.requests.BrokerHeartbeatRequest$Builder").on("build",
                ElementMatchers.named("build").and(ElementMatchers.not(ElementMatchers.isBridge())), Build.class),
            new TypeHooks(MANAGER + "$BrokerHeartbeatResponseHandler")
                .on("onComplete", isScala ? AnsweredInScala.class : AnsweredInJava.class));
    }

    /** Finds the broker of a manager, so that a heartbeat can be sent at once. */
    static final class Start {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This Object manager,
                         @Advice.FieldValue(value = "config", typing = Assigner.Typing.DYNAMIC) Object config) {
            BrokerLifecycle.sendsHeartbeats(((AbstractConfig) config).getInt("node.id"), (HeartbeatSender) manager);
        }
    }

    /**
     * Adds that a broker that hangs asks to be fenced. Kafka builds a request when it sends it, also one that waited for a
     * controller, so no heartbeat names a wish that is over.
     */
    static final class Build {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.FieldValue("data") BrokerHeartbeatRequestData data) {
            if (Brokers.anyStepDown()) {
                Brokers.stepDown(data.brokerId()).wish(data);
            }
        }
    }

    /** Passes an answer on to the broker of the manager that the class is an inner class of. */
    static final class AnsweredInScala {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.FieldValue(value = "$outer", typing = Assigner.Typing.DYNAMIC) Object manager,
                          @Advice.Argument(0) ClientResponse answer) {
            if (Brokers.anyStepDown()) {
                Brokers.stepDownOf(manager).answered(answer);
            }
        }
    }

    /** The same. */
    static final class AnsweredInJava {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.FieldValue(value = "this$0", typing = Assigner.Typing.DYNAMIC) Object manager,
                          @Advice.Argument(0) ClientResponse answer) {
            if (Brokers.anyStepDown()) {
                Brokers.stepDownOf(manager).answered(answer);
            }
        }
    }
}
