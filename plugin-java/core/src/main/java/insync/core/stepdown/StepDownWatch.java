package insync.core.stepdown;

import insync.core.Clock;
import insync.core.EventLog;
import java.util.List;

/**
 * Solution 2 of KIP-501 in one broker: finds led partitions of which a fetch has been in the leader's hands for too
 * long, and decides whether and to whom their leadership is given.
 *
 * <p>Ticked by one thread of its own, not by one of Kafka's schedulers, whose threads may be the stalled ones.
 */
public final class StepDownWatch {

    /**
     * @param self this broker's id
     * @param peers what this broker sees of its peers
     */
    public StepDownWatch(int self, StepDownSettings settings, Clock clock, PeerFetches peers, EventLog events,
            StepDownStats stats) {
    }

    /**
     * Looks at every partition that this broker leads; called every {@link StepDownSettings#tickMs} by one thread.
     *
     * @param led the partitions
     * @param livePeers ids of the other brokers that are live, unfenced and not shutting down
     * @return one decision per partition with a slow fetch. Those that {@link Decision#acts act} must be asked for, each
     *     to be followed by one call of {@link #answered}
     */
    public List<Decision> tick(Iterable<? extends PartitionView> led, int[] livePeers) {
        return List.of();
    }

    /**
     * What became of a decision that acts; called by any thread, takes no lock.
     *
     * @param how in words for the event: the way that was taken, or the error
     */
    public void answered(Decision decision, Outcome outcome, String how) {
    }
}
