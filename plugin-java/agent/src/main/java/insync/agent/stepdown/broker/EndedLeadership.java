package insync.agent.stepdown.broker;

import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.protocol.Errors;
import scala.Tuple2;

/**
 * The answers of a broker that knows that it leads no longer, but cannot become a follower yet. They are those that Kafka
 * gives once it has.
 */
public final class EndedLeadership {

    private EndedLeadership() { }

    /** Whether the partition's leader epoch is over; 0 is what partitions say of which nothing is known. */
    public static boolean isOver(int over, int leaderEpoch) {
        return over != 0 && over > leaderEpoch;
    }

    /** @return the exception that the caller is to throw */
    public static NotLeaderOrFollowerException refuse(int leaderEpoch) {
        return new NotLeaderOrFollowerException("Leader epoch " + leaderEpoch + " is over");
    }

    /** To a produce request that waits for followers: not reached, and it never will be. What is committed stays so. */
    public static Tuple2<Object, Errors> answer(Tuple2<Object, Errors> kafkas) {
        return (Boolean) kafkas._1() || kafkas._2() != Errors.NONE ? kafkas
            : new Tuple2<>(Boolean.TRUE, Errors.NOT_LEADER_OR_FOLLOWER);
    }
}
