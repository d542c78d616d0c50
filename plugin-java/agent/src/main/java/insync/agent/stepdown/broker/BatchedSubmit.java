package insync.agent.stepdown.broker;

import insync.agent.stepdown.broker.AlterPartitionManagerHooks.ControllerLink;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Makes Kafka's manager send with one AlterPartition what is submitted together. By itself it sends the first change at
 * once and the others after its answer, as two changes of the metadata. A broker whose reads stall blocks in the first,
 * in makeFollower, and answers meanwhile that it leads the partitions of the second.
 */
final class BatchedSubmit {

    private BatchedSubmit() { }

    /** @param submits must return at once, because nothing is sent to the controller meanwhile */
    static void of(ControllerLink manager, Runnable submits) {
        AtomicBoolean inFlight = manager.insync$inFlight();
        boolean held = inFlight.compareAndSet(false, true);
        try {
            submits.run();
        } finally {
            // If a request was under way all wait for its answer, and go together, too.
            if (held) {
                inFlight.set(false);
                manager.insync$propagate();
            }
        }
    }
}
