package insync.core.stepdown;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Which broker is the successor, which ISR is requested, and the effect of slow peers. */
class SuccessorTest {
    private WatchedBroker broker = new WatchedBroker(WatchedBroker.settings());
    private FakePartition events = broker.leads("events", 0);

    private void with(StepDownSettings settings) {
        broker = new WatchedBroker(settings);
        events = broker.leads("events", 0);
    }

    private void stallBeyondT() {
        broker.pass(1_000);
        broker.stall(events);
        broker.passT();
    }

    private int[] asked() {
        assertEquals(1, broker.acted.size());
        return broker.acted.get(0).isr();
    }

    @Test
    void theMostCaughtUpMemberIsTheSuccessor() {
        events.leo.put(2, 101L);
        stallBeyondT();
        assertArrayEquals(new int[] {2, 1, 0}, asked());
    }

    @Test
    void aDeadMemberIsNotTheSuccessor() {
        events.leo.put(1, 500L);
        broker.live = new int[] {2};
        stallBeyondT();
        assertArrayEquals(new int[] {2, 1, 0}, asked());
    }

    @Test
    void aReplicaOutsideTheIsrIsNotTheSuccessor() {
        events.isr = new int[] {0, 2};
        stallBeyondT();
        assertArrayEquals(new int[] {2, 0}, asked());
    }

    @Test
    void withoutASuccessorNothingIsRequested() {
        events.isr = new int[] {0};
        stallBeyondT();
        assertEquals(List.of(Reason.NO_SUCCESSOR), broker.reasons());
        events.isr = new int[] {0, 1};
        broker.live = new int[] {2};
        assertEquals(List.of(Reason.NO_SUCCESSOR), broker.reasons());
        assertEquals(1, broker.stats.withheld(), "the same reason is counted once");
    }

    @Test
    void anExLeaderThatLeavesIsNotInTheRequestedIsr() {
        with(WatchedBroker.settings().exLeader(StepDownSettings.ExLeader.LEAVE));
        stallBeyondT();
        assertArrayEquals(new int[] {1, 2}, asked());
        assertTrue(broker.acted.get(0).leaves);
    }

    @Test
    void theExLeaderStaysIfTheIsrWouldBecomeTooSmall() {
        with(WatchedBroker.settings().exLeader(StepDownSettings.ExLeader.LEAVE));
        events.isr = new int[] {0, 1};
        stallBeyondT();
        assertArrayEquals(new int[] {1, 0}, asked());
        assertFalse(broker.acted.get(0).leaves);
    }

    @Test
    void equalSuccessorsShareThePartitions() {
        for (int id = 1; id < 6; id++) {
            broker.leads("events", id);
        }
        broker.pass(1_000);
        broker.stall(broker.led.toArray(new FakePartition[0]));
        broker.passT();
        assertEquals(List.of(1, 2, 1, 2, 1, 2),
            broker.acted.stream().map(Decision::successor).collect(Collectors.toList()));
    }

    @Test
    void aPeerThatLooksSlowIsNotTheSuccessorEvenIfMostCaughtUp() {
        events.leo.put(1, 500L);
        broker.toFirst.sent();
        stallBeyondT();
        assertArrayEquals(new int[] {2, 1, 0}, asked());
        assertEquals(1, broker.stats.slowPeers);
    }

    @Test
    void aPeerThatIsAboutToLookSlowIsASecondChoice() {
        events.leo.put(1, 500L);
        broker.pass(1_000);
        broker.stall(events);
        broker.pass(WatchedBroker.T_MS / 4);
        broker.toFirst.sent();
        broker.passT();
        assertArrayEquals(new int[] {2, 1, 0}, asked());
    }

    @Test
    void aFetchThatWaitsForRecordsDoesNotMakeAPeerSlow() {
        events.leo.put(1, 500L);
        broker.pass(1_000);
        broker.stall(events);
        broker.pass(WatchedBroker.T_MS - WatchedBroker.FETCH_WAIT_MS);
        broker.toFirst.sent();
        broker.pass(WatchedBroker.FETCH_WAIT_MS + broker.settings.tickMs());
        assertArrayEquals(new int[] {1, 2, 0}, asked());
    }

    @Test
    void aPeerIsSlowForLongerThanItsWaitAndT() {
        broker = new WatchedBroker(StepDownSettings.of(500, WatchedBroker.FETCH_WAIT_MS));
        broker.tick();
        broker.toFirst.sent();
        broker.pass(WatchedBroker.FETCH_WAIT_MS + 500);
        assertEquals(0, broker.stats.slowPeers);
        broker.pass(broker.settings.tickMs());
        assertEquals(1, broker.stats.slowPeers);
    }

    @Test
    void ifTheOnlySuccessorLooksSlowNothingIsRequested() {
        events.isr = new int[] {0, 1};
        broker.toFirst.sent();
        stallBeyondT();
        assertEquals(List.of(Reason.SUCCESSORS_SLOW), broker.reasons());
    }

    @Test
    void ifMostPeersLookSlowNothingIsRequested() {
        broker.toFirst.sent();
        broker.toSecond.sent();
        stallBeyondT();
        assertEquals(List.of(Reason.PEERS_SLOW), broker.reasons());
        assertEquals(2, broker.stats.slowPeers);
    }

    @Test
    void aPeerLooksSlowForAWhileAfterItWas() {
        broker.tick();
        broker.toFirst.sent();
        broker.toSecond.sent();
        broker.pass(WatchedBroker.FETCH_WAIT_MS);
        broker.passT();
        broker.toFirst.ended();
        broker.toSecond.ended();
        stallBeyondT();
        assertEquals(List.of(Reason.PEERS_SLOW), broker.reasons());
        broker.recover(events);
        broker.pass(StepDownSettings.DEFAULT_COOLDOWN_MS / 10);
        stallBeyondT();
        assertEquals(1, broker.acted.size());
    }

    @Test
    void deadPeersAreNotSlowAndAreNotCounted() {
        broker.live = new int[] {1};
        broker.toSecond.sent();
        stallBeyondT();
        assertArrayEquals(new int[] {1, 2, 0}, asked());
        assertEquals(0, broker.stats.slowPeers);
    }

    @Test
    void aClosedFetcherDoesNotCount() {
        events.isr = new int[] {0, 1};
        broker.toFirst.sent();
        broker.toFirst.closed();
        stallBeyondT();
        assertArrayEquals(new int[] {1, 0}, asked());
    }

    @Test
    void aFreezeOfThisProcessDoesNotMakeAPeerSlow() {
        broker.pass(1_000);
        broker.toFirst.sent();
        broker.toSecond.sent();
        broker.clock.ms += 20_000;
        broker.tick();
        assertEquals(0, broker.stats.slowPeers);
    }
}
