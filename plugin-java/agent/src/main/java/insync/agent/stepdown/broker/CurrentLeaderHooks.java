package insync.agent.stepdown.broker;

import insync.agent.broker.Brokers;
import insync.agent.weave.TypeHooks;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import org.apache.kafka.common.TopicPartition;

/**
 * Weaves Kafka's KafkaApis from 3.7 on, where an answer with NOT_LEADER_OR_FOLLOWER names the current leader (KIP-951). Kafka asks the
 * partition for it, and a partition that cannot become a follower yet names this broker. librdkafka believes that, and does not
 * ask for metadata: it fetches from the old leader again and again.
 */
public final class CurrentLeaderHooks extends TypeHooks {

    public CurrentLeaderHooks() {
        super("kafka.server.KafkaApis");
        on("getCurrentLeader", GetCurrentLeader.class);
    }

    /** Names no leader where this broker's leader epoch is over, so that the client asks for metadata. */
    static final class GetCurrentLeader {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.FieldValue("brokerId") int brokerId, @Advice.Argument(0) TopicPartition partition,
                         @Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object leader) {
            if (Brokers.stepDown(brokerId).isOver(partition)) {
                leader = EndedLeadership.unknownLeader(leader);
            }
        }
    }
}
