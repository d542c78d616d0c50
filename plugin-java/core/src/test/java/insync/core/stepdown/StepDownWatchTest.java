package insync.core.stepdown;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import insync.core.stepdown.StepDownWatch.FirstFetches;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a leader steps down, and each reason why it does not. */
class StepDownWatchTest {
    private WatchedBroker broker = new WatchedBroker(WatchedBroker.settings());
    private FakePartition events = broker.leads("events", 0);

    private void with(StepDownSettings settings) {
        broker = new WatchedBroker(settings);
        events = broker.leads("events", 0);
    }

    private void stallBeyondT() {
        broker.pass(10_000);
        broker.stall(events);
        broker.passT();
    }

    @Test
    void aFetchThatIsSlowForTMovesThePartitionOnceAndNotBefore() {
        broker.pass(10_000);
        broker.stall(events);
        broker.pass(WatchedBroker.T_MS);
        assertEquals(List.of(), broker.acted);
        broker.pass(broker.settings.tickMs());
        assertEquals(1, broker.acted.size());
        Decision decision = broker.acted.get(0);
        assertArrayEquals(new int[] {1, 2, 0}, decision.isr(), "the same set, the leader last");
        assertFalse(decision.leaves);
        assertEquals(1, broker.stats.asked());
    }

    @Test
    void theFirstFetchesOfABrokerMayTakeLonger() {
        broker.ended = FirstFetches.COUNT - 1;
        broker.pass(10_000);
        broker.stall(events);
        broker.passT();
        assertEquals(List.of(), broker.acted);
        broker.pass(FirstFetches.MORE_NANOS / 1_000_000L);
        assertEquals(1, broker.acted.size(), "but not for ever");
    }

    @Test
    void afterTheFirstFetchesTIsTheLimit() {
        broker.ended = FirstFetches.COUNT - 1;
        broker.pass(10_000);
        broker.ended++;
        broker.stall(events);
        broker.passT();
        assertEquals(1, broker.acted.size());
    }

    @Test
    void theLongestTIsNeverReachedByTheFirstFetchesEither() {
        with(StepDownSettings.of(Long.MAX_VALUE, WatchedBroker.FETCH_WAIT_MS));
        broker.ended = 0;
        broker.pass(10_000);
        broker.stall(events);
        broker.clock.ms += 3_600_000;
        assertEquals(List.of(), broker.tick());
    }

    @Test
    void theLongestTIsNeverReached() {
        with(StepDownSettings.of(Long.MAX_VALUE, WatchedBroker.FETCH_WAIT_MS));
        broker.stall(events);
        for (int minute = 0; minute < 60; minute++) {
            broker.clock.ms += 60_000;
            assertEquals(List.of(), broker.tick());
        }
    }

    @Test
    void theLongestCooldownKeepsAPartitionThatCameFromAnother() {
        with(WatchedBroker.settings().cooldownMs(Long.MAX_VALUE));
        broker.pass(10_000);
        FakePartition other = broker.leads("other", 0);
        other.epoch = 7;
        broker.tick();
        broker.stall(other);
        broker.pass(60_000);
        assertEquals(List.of(), broker.acted);
        assertEquals(List.of(Reason.COOLING_DOWN), broker.reasons());
    }

    @Test
    void aReadErrorMovesThePartitionAtTheNextTickAndOnlyOnce() {
        broker.pass(10_000);
        events.readFailed = true;
        broker.tick();
        assertEquals(1, broker.acted.size());
        Decision decision = broker.acted.get(0);
        assertEquals(Reason.READ_ERROR, decision.reason);
        assertEquals(0, decision.pendingMs, "no fetch is slow");
        assertEquals(1, broker.stats.asked());
        assertEquals(0, broker.stats.withheld());
        broker.pass(20_000);
        assertEquals(1, broker.acted.size());
    }

    @Test
    void aFetchThatMayStillWaitForRecordsIsNotSlow() {
        broker.pass(10_000);
        events.overdueMs = broker.clock.ms + 5_000;
        broker.pass(5_000 + WatchedBroker.T_MS);
        assertEquals(List.of(), broker.acted);
        broker.pass(broker.settings.tickMs());
        assertEquals(1, broker.acted.size());
    }

    @Test
    void aReadErrorThatWasRefusedIsAskedForAgainOnlyAfterAnotherError() {
        broker.pass(10_000);
        events.readFailed = true;
        broker.tick();
        broker.watch.answered(broker.acted.get(0), Outcome.REFUSED, "test", "INVALID_REQUEST");
        broker.pass(2 * WatchedBroker.T_MS);
        assertEquals(1, broker.acted.size());
        events.readFailed = true;
        broker.tick();
        assertEquals(2, broker.acted.size());
    }

    @Test
    void aReadErrorOfAPartitionWithASlowFetchIsTheSlowFetch() {
        stallBeyondT();
        assertEquals(Reason.SLOW_FETCH, broker.acted.get(0).reason);
        events.epoch = 5;
        events.readFailed = true;
        broker.pass(WatchedBroker.T_MS);
        assertEquals(Reason.SLOW_FETCH, broker.acted.get(broker.acted.size() - 1).reason);
    }

    @Test
    void healthyPartitionsAreReadOnlyByTheCheapMethods() {
        events.overdueMs = broker.clock.ms;
        broker.pass(WatchedBroker.T_MS - broker.settings.tickMs());
        assertEquals(0, events.askedInDepth);
    }

    @Test
    void aPartitionThatCannotBeCheckedDoesNotKeepTheOthers() {
        FakePartition broken = broker.leads("t", 8);
        FakePartition slow = broker.leads("t", 9);
        broken.broken = new IllegalStateException("broken");
        broker.pass(10_000);
        broker.stall(slow);
        broker.passT();
        assertEquals(9, broker.acted.get(0).partition);
        assertEquals(broken.broken, broker.failures.get(0));
    }

    @Test
    void aRequestIsNotRepeatedWhileItsAnswerIsAwaited() {
        stallBeyondT();
        broker.pass(20_000);
        assertEquals(1, broker.acted.size());
        assertEquals(List.of(Reason.AWAITING_ANSWER), broker.reasons());
        assertEquals(0, broker.stats.withheld(), "this is not counted");
    }

    @Test
    void aPartitionThatIsGivenAwayIsNotGivenAwayAgain() {
        stallBeyondT();
        broker.watch.answered(broker.acted.get(0), Outcome.DONE, "test", null);
        broker.pass(60_000);
        assertEquals(List.of(), broker.tick(), "a stalled read delays makeFollower");
        assertEquals(1, broker.stats.count(Outcome.DONE));
    }

    @Test
    void aRefusedRequestIsRepeatedAfterT() {
        stallBeyondT();
        broker.watch.answered(broker.acted.get(0), Outcome.REFUSED, "test", "INVALID_REQUEST");
        broker.tick();
        broker.pass(WatchedBroker.T_MS - broker.settings.tickMs());
        assertEquals(1, broker.acted.size());
        broker.pass(broker.settings.tickMs());
        assertEquals(2, broker.acted.size());
        assertEquals(1, broker.stats.count(Outcome.REFUSED));
    }

    @Test
    void aFailedRequestIsRepeatedSoonAndCostsNoBudget() {
        with(WatchedBroker.settings().budgetPerMinute(1));
        stallBeyondT();
        broker.watch.answered(broker.acted.get(0), Outcome.FAILED, "test", "changed meanwhile");
        broker.tick();
        broker.pass(WatchedBroker.T_MS / 4);
        assertEquals(2, broker.acted.size());
        broker.watch.answered(broker.acted.get(1), Outcome.REFUSED, "test", "INVALID_REQUEST");
        broker.tick();
        broker.pass(WatchedBroker.T_MS);
        assertEquals(3, broker.acted.size());
        assertEquals(0, broker.stats.count(Reason.BUDGET_SPENT));
    }

    /** Kafka fails each at once while it still tries to send the first one. */
    @Test
    void whileThereIsNoControllerARequestIsRepeatedLessAndLessOften() {
        stallBeyondT();
        failsAndIsRepeatedAfter(WatchedBroker.T_MS / 4);
        failsAndIsRepeatedAfter(WatchedBroker.T_MS / 2);
        for (int later = 0; later < 20; later++) {
            failsAndIsRepeatedAfter(WatchedBroker.T_MS);
        }
        broker.recover(events);
        broker.tick();
        broker.stall(events);
        broker.passT();
        failsAndIsRepeatedAfter(WatchedBroker.T_MS / 4);
    }

    private void failsAndIsRepeatedAfter(long ms) {
        int asked = broker.acted.size();
        broker.watch.answered(broker.acted.get(asked - 1), Outcome.FAILED, "test", "OPERATION_NOT_ATTEMPTED");
        broker.tick();
        broker.pass(ms - 1);
        assertEquals(asked, broker.acted.size(), "not before " + ms + " ms");
        broker.pass(1);
        assertEquals(asked + 1, broker.acted.size());
    }

    @Test
    void aMissingAnswerIsAFailureAndALateOneChangesNothing() {
        stallBeyondT();
        Decision first = broker.acted.get(0);
        broker.pass(31_000);
        assertEquals(1, broker.stats.count(Outcome.FAILED));
        broker.pass(WatchedBroker.T_MS);
        assertEquals(2, broker.acted.size());
        broker.watch.answered(broker.acted.get(1), Outcome.DONE, "test", null);
        broker.tick();
        broker.watch.answered(first, Outcome.REFUSED, "test", "late");
        broker.tick();
        assertEquals(0, broker.stats.count(Outcome.REFUSED));
    }

    @Test
    void anAnswerOfAnOlderEpochIsIgnored() {
        stallBeyondT();
        events.epoch = 5;
        broker.tick();
        broker.watch.answered(broker.acted.get(0), Outcome.DONE, "test", null);
        broker.tick();
        assertEquals(0, broker.stats.count(Outcome.DONE));
    }

    @Test
    void aPartitionWithAnotherChangeUnderWayIsNotGivenAway() {
        events.changing = true;
        stallBeyondT();
        assertEquals(List.of(Reason.CHANGING), broker.reasons());
        events.changing = false;
        broker.tick();
        assertEquals(1, broker.acted.size());
    }

    @Test
    void aPartitionThatWasElectedHereStaysForTheCooldown() {
        broker.pass(10_000);
        FakePartition taken = broker.leads("taken", 0);
        taken.epoch = 7;
        broker.pass(1_000);
        broker.stall(taken);
        broker.passT();
        assertEquals(List.of(Reason.COOLING_DOWN), broker.reasons());
        broker.pass(StepDownSettings.DEFAULT_COOLDOWN_MS - 10_000);
        assertEquals(List.of(), broker.acted);
        broker.pass(10_000);
        assertEquals(1, broker.acted.size());
    }

    @Test
    void newPartitionsAndThoseLedAtTheStartHaveNoCooldown() {
        events.epoch = 7;
        broker.pass(10_000);
        FakePartition created = broker.leads("created", 0);
        broker.tick();
        broker.stall(events, created);
        broker.passT();
        assertEquals(2, broker.acted.size());
    }

    @Test
    void aNewEpochOfTheSameLeaderStartsNoCooldown() {
        broker.pass(10_000);
        events.epoch++;
        stallBeyondT();
        assertEquals(1, broker.acted.size());
    }

    /** Gives `events` away, and lets it come back some time after that. */
    private void givenAndBackAfter(long ms) {
        stallBeyondT();
        broker.grant(broker.acted.get(broker.acted.size() - 1));
        broker.recover(events);
        broker.pass(ms);
        events.epoch += 2;
        broker.led.add(events);
        broker.tick();
    }

    @Test
    void aPartitionThatReturnsToAStillSlowLeaderIsGivenAwayAfterT() {
        givenAndBackAfter(StepDownSettings.DEFAULT_COOLDOWN_MS + 1_000);
        broker.stall(events);
        broker.passT();
        assertEquals(2, broker.acted.size(), "another cool-down would be a stall as long");
    }

    @Test
    void aPartitionThatReturnsSoonIsGivenAwayLaterEachTime() {
        stallBeyondT();
        for (long backOffMs = 4 * WatchedBroker.T_MS; backOffMs < 200_000; backOffMs *= 4) {
            int given = broker.acted.size();
            broker.grant(broker.acted.get(given - 1));
            broker.recover(events);
            broker.pass(1_000);
            events.epoch += 2;
            broker.led.add(events);
            broker.stall(events);
            broker.pass(backOffMs - 3_000);
            assertEquals(List.of(Reason.COOLING_DOWN), broker.reasons());
            assertEquals(given, broker.acted.size(), "not before " + backOffMs + " ms");
            broker.pass(3_000);
            assertEquals(given + 1, broker.acted.size());
        }
    }

    @Test
    void aPartitionThatWasLedForACooldownWithoutASlowFetchStartsAnew() {
        givenAndBackAfter(1_000);
        broker.pass(StepDownSettings.DEFAULT_COOLDOWN_MS + 1_000);
        broker.stall(events);
        broker.passT();
        assertEquals(2, broker.acted.size());
        assertEquals(StepDownSettings.DEFAULT_COOLDOWN_MS, broker.acted.get(1).restNanos / 1_000_000L);
    }

    @Test
    void controllersKeepItAwayForTwiceAsLongEachTime() {
        for (int given = 0; given < 8; given++) {
            givenAndBackAfter(StepDownSettings.DEFAULT_COOLDOWN_MS << Math.min(given, 5));
            long expected = StepDownSettings.DEFAULT_COOLDOWN_MS << Math.min(given, 5);
            assertEquals(expected, broker.acted.get(given).restNanos / 1_000_000L);
        }
    }

    @Test
    void aReturnBetweenTwoTicksIsDetectedByItsEpoch() {
        stallBeyondT();
        broker.watch.answered(broker.acted.get(0), Outcome.DONE, "test", null);
        broker.tick();
        events.epoch += 2;
        assertEquals(List.of(Reason.COOLING_DOWN), broker.reasons());
    }

    @Test
    void theBudgetIsPerMinuteAndTheOldestFetchesComeFirst() {
        with(WatchedBroker.settings().budgetPerMinute(2));
        FakePartition second = broker.leads("events", 1);
        FakePartition third = broker.leads("events", 2);
        broker.pass(10_000);
        broker.stall(third);
        broker.pass(100);
        broker.stall(second);
        broker.pass(100);
        broker.stall(events);
        broker.passT();
        broker.pass(5_000);
        assertEquals(List.of(2, 1), List.of(broker.acted.get(0).partition, broker.acted.get(1).partition));
        assertEquals(2, broker.acted.size());
        assertEquals(1, broker.stats.count(Reason.BUDGET_SPENT), "counted once, not at every tick");
        broker.acted.forEach(broker::grant);
        broker.pass(60_000);
        assertEquals(3, broker.acted.size());
    }

    @Test
    void aFreezeOfTheWholeProcessIsNotASlowFetch() {
        broker.pass(10_000);
        broker.stall(events);
        broker.clock.ms += 20_000;
        assertEquals(List.of(), broker.tick());
        broker.recover(events);
        broker.pass(1_000);
        assertFalse(broker.stats.slow);
    }

    @Test
    void aFetchThatStaysPendingAfterAFreezeIsSlow() {
        broker.pass(10_000);
        broker.stall(events);
        broker.clock.ms += 20_000;
        broker.pass(2 * WatchedBroker.T_MS);
        assertEquals(1, broker.acted.size());
    }

    @Test
    void aFetchInAStarvedProcessIsSlow() {
        broker.pass(10_000);
        broker.stall(events);
        for (int i = 0; i < 10; i++) {
            broker.clock.ms += broker.settings.tickMs() + WatchedBroker.T_MS / 4;
            broker.tick();
        }
        assertEquals(1, broker.acted.size());
    }

    /** While a request is under way the watch ticks every 40 ms. */
    @Test
    void howLongTheProcessRanIsKnownHoweverOftenTheWatchTicks() {
        long t = 10_000;
        WatchedBroker broker = new WatchedBroker(StepDownSettings.of(t, 0).appends(false));
        FakePartition first = broker.leads("t", 0);
        FakePartition second = broker.leads("t", 1);
        broker.pass(2 * t);
        broker.stall(first);
        broker.pass(t - 1_000);
        broker.stall(second);
        broker.pass(2_000);
        assertEquals(1, broker.acted.size());
        for (long end = broker.clock.ms + t; broker.clock.ms < end; broker.clock.ms += 40) {
            broker.tick();
        }
        assertEquals(2, broker.acted.size());
    }

    @Test
    void anAnswerThatComesLateDoesNotEndTheNextRequest() {
        WatchedBroker broker = new WatchedBroker(WatchedBroker.settings());
        broker.stall(broker.leads("t", 0));
        broker.pass(StepDownWatch.ANSWER_NANOS / 1_000_000L + 3 * WatchedBroker.T_MS);
        assertEquals(2, broker.acted.size());
        broker.watch.answered(broker.acted.get(0), Outcome.REFUSED, "test", null);
        broker.pass(3 * WatchedBroker.T_MS);
        assertEquals(2, broker.acted.size(), "the second one is not answered yet");
    }

    @Test
    void aBrokerWhoseWatchHasEndedIsNotSlow() {
        WatchedBroker broker = new WatchedBroker(WatchedBroker.settings());
        broker.stall(broker.leads("t", 0));
        broker.pass(2 * WatchedBroker.T_MS);
        assertTrue(broker.stats.slow);
        broker.watch.end();
        assertFalse(broker.stats.slow);
    }
}
