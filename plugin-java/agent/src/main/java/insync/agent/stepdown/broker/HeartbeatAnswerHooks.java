package insync.agent.stepdown.broker;

import insync.agent.broker.Brokers;
import insync.agent.weave.Hook;
import insync.agent.weave.TypeHooks;
import java.util.List;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import org.apache.kafka.clients.ClientResponse;

/** Weaves what gets the answers to a broker's heartbeats: whether the controller has fenced it. */
public final class HeartbeatAnswerHooks extends TypeHooks {

    public HeartbeatAnswerHooks() {
        super(LifecycleHooks.TYPE + "$BrokerHeartbeatResponseHandler");
    }

    @Override
    public List<Hook> hooks() {
        boolean isScala = LifecycleHooks.TYPE.startsWith("kafka.");
        return List.of(on("onComplete", isScala ? OfScala.class : OfJava.class));
    }

    /** Passes an answer on to the broker of the manager that the class is an inner class of. */
    static final class OfScala {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.FieldValue(value = "$outer", typing = Assigner.Typing.DYNAMIC) Object manager,
                          @Advice.Argument(0) ClientResponse answer) {
            if (Brokers.anyStepDown()) {
                Brokers.stepDownOf(manager).answered(answer);
            }
        }
    }

    /** The same. */
    static final class OfJava {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.FieldValue(value = "this$0", typing = Assigner.Typing.DYNAMIC) Object manager,
                          @Advice.Argument(0) ClientResponse answer) {
            if (Brokers.anyStepDown()) {
                Brokers.stepDownOf(manager).answered(answer);
            }
        }
    }
}
