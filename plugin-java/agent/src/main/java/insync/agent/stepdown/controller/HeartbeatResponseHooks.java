package insync.agent.stepdown.controller;

import static java.nio.charset.StandardCharsets.UTF_8;

import insync.agent.broker.Brokers;
import insync.agent.weave.TypeHooks;
import insync.core.stepdown.controller.RelinquishTag;
import net.bytebuddy.asm.Advice;
import org.apache.kafka.common.message.BrokerHeartbeatResponseData;
import org.apache.kafka.common.protocol.types.RawTaggedField;

/**
 * Weaves the answer to a broker's heartbeat: a controller with the agent adds a tagged field with its id, by which brokers know that it
 * honours a request to step down. Kafka ignores the field. A node that is a controller, too, also adds it to the answers that it gets
 * from another one, so the id must be the sender's.
 */
public final class HeartbeatResponseHooks extends TypeHooks {

    public HeartbeatResponseHooks() {
        super("org.apache.kafka.common.requests.BrokerHeartbeatResponse");
        on("<init>", Init.class);
    }

    /**
     * Returns whether the controller that sent an answer has the agent.
     *
     * @param sender its id, as Kafka's client has it
     */
    public static boolean isWoven(BrokerHeartbeatResponseData answer, String sender) {
        return answer.unknownTaggedFields().stream()
            .anyMatch(field -> field.tag() == RelinquishTag.TAG && new String(field.data(), UTF_8).equals(sender));
    }

    /** Adds the field, unless another controller did. */
    public static void tag(BrokerHeartbeatResponseData answer, int controller) {
        if (answer.unknownTaggedFields().stream().noneMatch(field -> field.tag() == RelinquishTag.TAG)) {
            answer.unknownTaggedFields().add(new RawTaggedField(RelinquishTag.TAG, Integer.toString(controller).getBytes(UTF_8)));
        }
    }

    static final class Init {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.Argument(0) BrokerHeartbeatResponseData data) {
            int self = Brokers.controller();
            if (self >= 0) {
                tag(data, self);
            }
        }
    }
}
