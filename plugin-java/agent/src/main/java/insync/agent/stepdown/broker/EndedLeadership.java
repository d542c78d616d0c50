package insync.agent.stepdown.broker;

import insync.core.Insync;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.protocol.Errors;
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

    /** Returns the response to a produce request that waits for followers: it fails unless its records are committed. */
    public static Tuple2<Object, Errors> answer(Tuple2<Object, Errors> kafkas) {
        return (Boolean) kafkas._1() || kafkas._2() != Errors.NONE ? kafkas
            : new Tuple2<>(Boolean.TRUE, Errors.NOT_LEADER_OR_FOLLOWER);
    }
}
