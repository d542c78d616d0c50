package insync.agent.stepdown.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import insync.agent.stepdown.broker.AlterPartitionManagerHooks.ControllerLink;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Simultaneous changes go with one request; Kafka allows one request under way at a time. */
class BatchedSubmitTest {
    private final Manager manager = new Manager();

    @Test
    void simultaneousChangesGoWithOneRequest() {
        Relinquisher.atOnce(manager, () -> {
            manager.submit("p0");
            manager.submit("p1");
        });
        assertEquals(List.of(List.of("p0", "p1")), manager.sent);
    }

    @Test
    void allChangesWaitForARequestUnderWay() {
        manager.submit("other");
        Relinquisher.atOnce(manager, () -> {
            manager.submit("p0");
            manager.submit("p1");
        });
        assertEquals(List.of(List.of("other")), manager.sent);
        manager.answered();
        assertEquals(List.of(List.of("other"), List.of("p0", "p1")), manager.sent);
    }

    @Test
    void ifOneFailsTheOthersAreSentAndTheManagerIsFree() {
        assertThrows(IllegalStateException.class, () -> Relinquisher.atOnce(manager, () -> {
            manager.submit("p0");
            throw new IllegalStateException();
        }));
        assertEquals(List.of(List.of("p0")), manager.sent);
        assertTrue(manager.inFlight.get(), "its request is under way");
    }

    @Test
    void withoutChangesNothingIsSent() {
        Relinquisher.atOnce(manager, () -> { });
        assertEquals(List.of(), manager.sent);
        assertFalse(manager.inFlight.get());
    }

    /** The rules of Kafka's DefaultAlterPartitionManager. */
    private static final class Manager implements ControllerLink {
        private final AtomicBoolean inFlight = new AtomicBoolean();
        private final List<String> unsent = new ArrayList<>();
        private final List<List<String>> sent = new ArrayList<>();

        private void submit(String change) {
            unsent.add(change);
            insync$propagate();
        }

        private void answered() {
            unsent.removeAll(sent.get(sent.size() - 1));
            inFlight.set(false);
            insync$propagate();
        }

        @Override
        public AtomicBoolean insync$inFlight() {
            return inFlight;
        }

        @Override
        public void insync$propagate() {
            if (!unsent.isEmpty() && inFlight.compareAndSet(false, true)) {
                sent.add(List.copyOf(unsent));
            }
        }
    }
}
