package insync.agent.stepdown.broker;

import insync.core.Insync;
import kafka.cluster.Partition;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.protocol.Errors;
import scala.Option;
import scala.Tuple2;

/**
 * Answers for a broker that knows that it no longer leads a partition, but cannot become its follower yet. Kafka gives
 * the same answers later.
 */
public final class EndedLeadership {

    private EndedLeadership() { }

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
}
