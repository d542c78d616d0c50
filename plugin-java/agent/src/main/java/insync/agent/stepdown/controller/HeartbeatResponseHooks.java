package insync.agent.stepdown.controller;

import insync.agent.broker.Brokers;
import insync.agent.weave.TypeHooks;
import insync.core.stepdown.controller.RelinquishTag;
import net.bytebuddy.asm.Advice;
import org.apache.kafka.common.message.BrokerHeartbeatResponseData;
import org.apache.kafka.common.protocol.types.RawTaggedField;

/**
 * Weaves the answer to a broker's heartbeat: a controller with the agent adds a tagged field, by which brokers know that it honours a
 * request to step down. Kafka ignores the field.
 */
public final class HeartbeatResponseHooks extends TypeHooks {

    public HeartbeatResponseHooks() {
        super("org.apache.kafka.common.requests.BrokerHeartbeatResponse");
        on("<init>", Init.class);
    }

    /** Returns whether the controller that sent an answer has the agent. */
    public static boolean isWoven(BrokerHeartbeatResponseData answer) {
        return answer.unknownTaggedFields().stream().anyMatch(field -> field.tag() == RelinquishTag.TAG);
    }

    /** Adds the field. */
    static final class Init {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.Argument(0) BrokerHeartbeatResponseData data) {
            if (Brokers.isController() && !isWoven(data)) {
                data.unknownTaggedFields().add(new RawTaggedField(RelinquishTag.TAG, new byte[0]));
            }
        }
    }
}
