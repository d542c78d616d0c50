package insync.agent.stepdown.broker;

import insync.agent.stepdown.broker.AlterPartitionManagerHooks.ControllerLink;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Has Kafka's manager send with one AlterPartition what is submitted at one time. By itself it sends the first change at
 * once and alone, and the others after the answer: two changes of the metadata. A broker whose reads stall hangs in the
 * first of them, in makeFollower, and tells its clients for as long that it leads the partitions of the second.
 */
final class BatchedSubmit {

    private BatchedSubmit() { }

    /** @param submits takes no time and waits for nothing: meanwhile nothing is sent to the controller */
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
