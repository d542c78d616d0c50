package insync.agent.stepdown.broker;

import insync.agent.broker.Brokers;
import insync.agent.weave.Hook;
import insync.agent.weave.TypeHooks;
import java.util.List;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.matcher.ElementMatchers;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;

/**
 * Weaves the builder of a broker's heartbeats: a broker that hangs asks to be fenced in each. Kafka builds a request when it sends it,
 * also one that waited for a controller, so no heartbeat names a wish that is over.
 */
public final class HeartbeatHooks extends TypeHooks {

    public HeartbeatHooks() {
        super("org.apache.kafka.common.requests.BrokerHeartbeatRequest$Builder");
    }

    @Override
    public List<Hook> hooks() {
        return List.of(on("build", ElementMatchers.named("build").and(ElementMatchers.not(ElementMatchers.isBridge())), Build.class));
    }

    /** Adds the wish. */
    static final class Build {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.FieldValue("data") BrokerHeartbeatRequestData data) {
            if (Brokers.anyStepDown()) {
                Brokers.stepDown(data.brokerId()).wish(data);
            }
        }
    }
}
