package insync.agent.stepdown.broker;

import insync.agent.broker.Brokers;
import insync.agent.isr.PartitionHooks;
import insync.agent.weave.TypeHooks;
import kafka.cluster.Partition;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import scala.Tuple2;

/**
 * Weaves Kafka's Partition: which partitions this broker leads, and the answers to clients when another broker already
 * leads and this one still waits for leaderIsrUpdateLock to become its follower.
 */
public final class LeadershipHooks extends TypeHooks {
    private static final String OVER = "insync$over";

    public LeadershipHooks() {
        super(PartitionHooks.TYPE);
        on("makeLeader", MakeLeader.class);
        on("makeFollower", MakeFollower.class);
        on("appendRecordsToLeader", RefuseRequest.class);
        on("fetchRecords", RefuseRequest.class);
        on("fetchOffsetSnapshot", RefuseRequest.class);
        on("fetchOffsetForTimestamp", RefuseRequest.class);
        on("maybeShrinkIsr", SkipShrink.class);
        on("checkEnoughReplicasReachOffset", CheckEnoughReplicas.class);
        property(OVER, int.class);
        implement(EndedLeadership.Carrier.class);
    }

    /**
     * Returns the hooks on KafkaApis from 3.7 on, where an answer with NOT_LEADER_OR_FOLLOWER names the current leader (KIP-951). Kafka
     * asks the partition for it, and a partition that cannot become a follower yet names this broker. librdkafka believes that, and
     * does not ask for metadata: it fetches from the old leader again and again.
     */
    public static TypeHooks currentLeader() {
        return new TypeHooks("kafka.server.KafkaApis").on("getCurrentLeader", GetCurrentLeader.class);
    }

    /** Adds a partition that this broker leads to the partitions of the watch. */
    static final class MakeLeader {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This Partition partition, @Advice.FieldValue("localBrokerId") int brokerId) {
            Brokers.stepDown(brokerId).leading(partition);
        }
    }

    /**
     * Marks the leader epoch as over before this broker waits for leaderIsrUpdateLock to become a follower, which takes
     * as long as a read stalls. Requests that would wait for the same lock are answered at once.
     */
    static final class MakeFollower {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.This Partition partition, @Advice.FieldValue("localBrokerId") int brokerId,
                          @Advice.FieldValue("leaderEpoch") int leaderEpoch,
                          @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object newState) {
            Brokers.stepDown(brokerId).losing(partition, leaderEpoch, newState);
        }
    }

    /**
     * Refuses a request to a partition whose leader epoch is over, as Kafka does, before it waits for a lock and blocks a thread.
     * A fetch that waits for records asks for the snapshot of offsets of each of its partitions, in the thread that appends to any
     * of them. Kafka handles the exception, so it is not suppressed.
     */
    static final class RefuseRequest {
        @Advice.OnMethodEnter
        static void enter(@Advice.FieldValue(OVER) int over, @Advice.FieldValue("leaderEpoch") int leaderEpoch) {
            if (over != 0 && EndedLeadership.isOver(over, leaderEpoch)) {
                throw EndedLeadership.refuse(leaderEpoch);
            }
        }
    }

    /** Looks for no late followers in a leader epoch that is over: the one thread that does would wait for the lock. */
    static final class SkipShrink {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class, suppress = Throwable.class)
        static boolean enter(@Advice.FieldValue(OVER) int over, @Advice.FieldValue("leaderEpoch") int leaderEpoch) {
            return over != 0 && EndedLeadership.isOver(over, leaderEpoch);
        }
    }

    /** Fails a produce request that waits for followers in a leader epoch that is over, so the client finds the new leader. */
    static final class CheckEnoughReplicas {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.FieldValue(OVER) int over, @Advice.FieldValue("leaderEpoch") int leaderEpoch,
                         @Advice.Return(readOnly = false) Tuple2<Object, Errors> answer) {
            if (over != 0 && EndedLeadership.isOver(over, leaderEpoch)) {
                answer = EndedLeadership.answer(answer);
            }
        }
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
