package insync.agent.stepdown.broker;

import insync.agent.stepdown.broker.AlterPartitionManagerHooks.ControllerLink;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Makes Kafka's manager send simultaneous ISR changes with one AlterPartition. Without it the manager sends the first
 * change at once and the others after its response, as two metadata changes. A broker whose reads stall blocks in the
 * first one, in makeFollower, and meanwhile answers clients that it still leads the partitions of the second one.
 */
final class BatchedSubmit {

    private BatchedSubmit() { }

    /** @param submits must return at once, because the manager sends nothing to the controller meanwhile */
    static void of(ControllerLink manager, Runnable submits) {
        AtomicBoolean inFlight = manager.insync$inFlight();
        boolean claimed = inFlight.compareAndSet(false, true);
        try {
            submits.run();
        } finally {
            // If a request was under way, all changes wait for its response and then go together.
            if (claimed) {
                inFlight.set(false);
                manager.insync$propagate();
            }
        }
    }
}
