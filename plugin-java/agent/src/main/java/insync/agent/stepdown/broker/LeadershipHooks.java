package insync.agent.stepdown.broker;

import insync.agent.broker.Brokers;
import insync.agent.isr.PartitionHooks;
import insync.agent.weave.TypeHooks;
import insync.core.Insync;
import kafka.cluster.Partition;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.protocol.Errors;
import scala.Option;
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
        implement(Carrier.class);
    }

    /**
     * Returns the hooks on KafkaApis from 3.7 on, where an answer with NOT_LEADER_OR_FOLLOWER names the current leader (KIP-951). Kafka
     * asks the partition for it, and a partition that cannot become a follower yet names this broker. librdkafka believes that, and
     * does not ask for metadata: it fetches from the old leader again and again.
     */
    public static TypeHooks currentLeader() {
        return new TypeHooks("kafka.server.KafkaApis").on("getCurrentLeader", GetCurrentLeader.class);
    }

    /** Returns whether the partition's leader epoch is over; 0 means that it is not known. */
    public static boolean isOver(int over, int leaderEpoch) {
        return over != 0 && over > leaderEpoch && !Insync.isDisabled();
    }

    /** @return the exception for the caller to throw */
    public static NotLeaderOrFollowerException refuse(int leaderEpoch) {
        return new NotLeaderOrFollowerException("Leader epoch " + leaderEpoch + " is over");
    }

    /** Returns whether the partition's leader epoch is over, and it has not become a follower yet. */
    static boolean isOver(Partition partition) {
        return isOver(((Carrier) (Object) partition).insync$over(), partition.getLeaderEpoch());
    }

    /**
     * Returns what Kafka answers if it knows no leader: -1 for leader and epoch, which are then not part of the response.
     *
     * @param kafkas the leader that Kafka found, of a class inside KafkaApis
     */
    public static Object unknownLeader(Object kafkas) {
        try {
            return kafkas.getClass().getMethod("copy", int.class, int.class, Option.class)
                .invoke(kafkas, -1, -1, Option.empty());
        } catch (ReflectiveOperationException unlike) {
            throw new LinkageError(kafkas.getClass() + " cannot be copied", unlike);
        }
    }

    /** Returns the response to a produce request that waits for followers: it fails unless its records are committed. */
    public static Tuple2<Object, Errors> answer(Tuple2<Object, Errors> kafkas) {
        return (Boolean) kafkas._1() || kafkas._2() != Errors.NONE ? kafkas
            : new Tuple2<>(Boolean.TRUE, Errors.NOT_LEADER_OR_FOLLOWER);
    }

    /** Gives access to the last leader epoch that is over, even if the partition has not applied that yet. */
    public interface Carrier {

        /** Returns one more than the last leader epoch that is over; 0 for none. */
        int insync$over();

        void insync$over(int over);
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
            if (over != 0 && LeadershipHooks.isOver(over, leaderEpoch)) {
                throw LeadershipHooks.refuse(leaderEpoch);
            }
        }
    }

    /** Looks for no late followers in a leader epoch that is over: the one thread that does would wait for the lock. */
    static final class SkipShrink {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class, suppress = Throwable.class)
        static boolean enter(@Advice.FieldValue(OVER) int over, @Advice.FieldValue("leaderEpoch") int leaderEpoch) {
            return over != 0 && LeadershipHooks.isOver(over, leaderEpoch);
        }
    }

    /** Fails a produce request that waits for followers in a leader epoch that is over, so the client finds the new leader. */
    static final class CheckEnoughReplicas {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.FieldValue(OVER) int over, @Advice.FieldValue("leaderEpoch") int leaderEpoch,
                         @Advice.Return(readOnly = false) Tuple2<Object, Errors> answer) {
            if (over != 0 && LeadershipHooks.isOver(over, leaderEpoch)) {
                answer = LeadershipHooks.answer(answer);
            }
        }
    }

    /** Names no leader where this broker's leader epoch is over, so that the client asks for metadata. */
    static final class GetCurrentLeader {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.FieldValue("brokerId") int brokerId, @Advice.Argument(0) TopicPartition partition,
                         @Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object leader) {
            if (Brokers.stepDown(brokerId).isOver(partition)) {
                leader = LeadershipHooks.unknownLeader(leader);
            }
        }
    }
}
