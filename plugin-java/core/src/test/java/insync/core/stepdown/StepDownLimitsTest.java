package insync.core.stepdown;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/**
 * The effect of the limits (cool-down, budget, memory of who was slow) on three simulated brokers, which stall alone, two at once, or
 * all in turn, compared with the KIP's own solution 2, which has no limits.
 */
class StepDownLimitsTest {
    private static final long T_MS = 2_000;
    private static final long TICK_MS = settings().tickMs();
    private static final long RUN_MS = 20 * 60_000;

    /** No fetch waits for records. */
    private static StepDownSettings settings() {
        return StepDownSettings.of(T_MS, 0);
    }

    private static StepDownSettings withoutLimits() {
        return settings().limited(false);
    }

    /** Each stalls for 4 s, one after another, every 6 s. */
    private static SimulatedCluster allInTurn(StepDownSettings settings) {
        SimulatedCluster cluster = new SimulatedCluster(settings, TICK_MS);
        int broker = 0;
        for (long at = 5_000; at < RUN_MS; at += 6_000) {
            cluster.stall(broker, at, 4_000);
            broker = (broker + 1) % SimulatedCluster.BROKERS;
        }
        cluster.run(RUN_MS);
        return cluster;
    }

    @Test
    void withAllBrokersSlowInTurnLeaderChangesAreFewAndStalledTimeIsAsInStock() {
        SimulatedCluster stock = allInTurn(null);
        SimulatedCluster unlimited = allInTurn(withoutLimits());
        SimulatedCluster limited = allInTurn(settings());
        System.out.printf("all slow in turn, 20 min, 12 partitions: leader changes without limits %d, with limits %d;"
                + " stalled partition-seconds stock %d, without limits %d, with limits %d%n", unlimited.leaderChanges(),
            limited.leaderChanges(), stock.stalledMs() / 1_000, unlimited.stalledMs() / 1_000, limited.stalledMs() / 1_000);
        assertTrue(limited.leaderChanges() * 10 < unlimited.leaderChanges());
        assertTrue(limited.shortestTermMs() >= StepDownSettings.DEFAULT_COOLDOWN_MS, "one step-down per cool-down at most");
        assertTrue(limited.stalledMs() <= stock.stalledMs() * 1.1);
    }

    @Test
    void aRequestThatFailedGivesItsOwnPlaceInTheBudgetBack() {
        StepDownRules.Budget budget = new StepDownRules.Budget(settings().budgetPerMinute(2));
        long second = 1_000_000_000L;
        assertTrue(budget.take(0) && budget.take(30 * second));
        budget.giveBack(0);
        assertTrue(budget.take(31 * second));
        assertFalse(budget.take(60 * second), "30 and 31 are in the same minute");
    }

    @Test
    void updatedSettingsAreInForceWithTheNextTick() {
        WatchedBroker broker = new WatchedBroker(settings().budgetPerMinute(1));
        FakePartition first = broker.leads("t", 0);
        FakePartition second = broker.leads("t", 1);
        broker.pass(T_MS);
        broker.stall(first, second);
        broker.passT();
        assertEquals(1, broker.acted.size(), "the budget");
        broker.settings.become(settings().budgetPerMinute(2));
        broker.tick();
        assertEquals(2, broker.acted.size());

        FakePartition third = broker.leads("t", 2);
        broker.settings.become(StepDownSettings.of(60_000, 500));
        broker.stall(third);
        broker.passT();
        assertEquals(2, broker.acted.size(), "T");
    }

    @Test
    void oneSlowBrokerGivesEachPartitionAwayOnce() {
        SimulatedCluster cluster = new SimulatedCluster(settings(), TICK_MS);
        cluster.stall(0, 10_000, 25_000);
        cluster.run(60_000);
        assertEquals(4, cluster.leaderChanges());
        assertEquals(0, cluster.ledBy(0));
        assertEquals(6, cluster.ledBy(1), "the others share them");
        assertTrue(cluster.stalledMs() <= 4 * (T_MS + 2 * TICK_MS), "for T, not for the whole stall");
    }

    @Test
    void twoSlowBrokersGiveToTheThirdAndNotToEachOther() {
        SimulatedCluster cluster = new SimulatedCluster(settings(), TICK_MS);
        cluster.stall(0, 10_000, 25_000);
        cluster.stall(1, 10_000, 25_000);
        cluster.run(60_000);
        assertEquals(8, cluster.leaderChanges());
        assertEquals(SimulatedCluster.PARTITIONS, cluster.ledBy(2));
    }

    @Test
    void withAllBrokersSlowAtOnceNothingMoves() {
        SimulatedCluster cluster = new SimulatedCluster(settings(), TICK_MS);
        for (int broker = 0; broker < SimulatedCluster.BROKERS; broker++) {
            cluster.stall(broker, 10_000, 25_000);
        }
        cluster.run(60_000);
        assertEquals(0, cluster.leaderChanges());
    }

    @Test
    void withoutAStallNothingMoves() {
        SimulatedCluster cluster = new SimulatedCluster(settings(), TICK_MS);
        cluster.run(60_000);
        assertEquals(0, cluster.leaderChanges());
    }
}
