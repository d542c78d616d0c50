package insync.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import insync.core.Insync;
import insync.core.events.EventLog;
import insync.lab.events.PartitionEvents;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Solution 1 of KIP-501 on the broker's real classes with a mock clock. For each version that has KafkaParts the build
 * runs this class twice: in a JVM without the agent, which must show Kafka's own behaviour, and in one with the agent,
 * with the feature on and off.
 */
class PendingReadsTest {
    private static final boolean WOVEN = "woven".equals(System.getProperty("insync.jvm"));

    @TempDir
    Path folder;
    private final List<Errors> answers = new ArrayList<>();
    private final List<Boolean> outOfSync = new ArrayList<>();

    /** Exceptions in our code are caught and counted, so every test checks the count; and nothing stays pending. */
    @AfterEach
    void noFailureOfOursAndNothingPending() {
        if (WOVEN) {
            assertEquals("", Insync.current().failures.last());
            assertEquals(0, Insync.current().stats.pendingNow());
            assertEquals(0, Insync.current().stats.heldNow());
        }
    }

    /** Proves that only one of the two runs has woven classes. */
    @Test
    void theJvmIsWhatTheBuildSaysItIs() throws Exception {
        try (Leader leader = new Leader(folder, false)) {
            Object replica = leader.partition().getReplica(Leader.FOLLOWER).get();
            assertEquals(WOVEN, List.of(replica.getClass().getInterfaces()).toString().contains("insync"));
        }
    }

    /**
     * The KIP's example in numbers: LEO 1002 and fetch offset 950 at tx; LEO 1100 and fetch offset 1002 at ty;
     * 25 s to process; lag 10 s; wait 500 ms.
     */
    @Test
    void exampleOfTheKip() throws Exception {
        for (boolean enable : new boolean[] {true, false}) {
            outOfSync.clear();
            try (Leader leader = new Leader(folder.resolve("enable-" + enable), enable)) {
                long tx = leader.time.milliseconds();
                leader.appendUpTo(1002);
                leader.fetch(950, answers);

                leader.time.sleep(500);
                final long ty = leader.time.milliseconds();
                leader.appendUpTo(1100);
                leader.duringRead(() -> stall(leader, 25));
                leader.fetch(1002, answers);
                outOfSync.add(leader.followerIsOutOfSync());

                boolean protectedByPlugin = WOVEN && enable;
                assertEquals(!protectedByPlugin, outOfSync.contains(true), "out of sync at some second: " + outOfSync);
                assertEquals(tx, leader.lastCaughtUpMs(), "Kafka's own state does not change");
                leader.time.sleep(ty + 25_000 + Leader.LAG_MS - leader.time.milliseconds());
                assertEquals(!protectedByPlugin, leader.followerIsOutOfSync(), "caught up as of ty + 25 s");
                leader.time.sleep(1);
                assertTrue(leader.followerIsOutOfSync());
            }
        }
    }

    /**
     * The KIP's change of updateFetchState to the letter, on the same example: a fetch is recorded with the time at which
     * it was read, not with that of its arrival. The follower is still out of sync once the fetch at ty is served: 1002
     * is below LEO 1100, so Kafka takes the branch for a follower that has reached the LEO at the fetch before. That
     * branch sets the time of the fetch before, tx, whatever time this fetch gives.
     */
    @Test
    void theKipsUpdateFetchStateToTheLetterFailsItsExample() throws Exception {
        try (Leader leader = new Leader(folder, false)) {
            leader.time.sleep(1_000);
            final long tx = leader.time.milliseconds();
            leader.appendUpTo(1002);
            leader.recordFetchNow(950);

            leader.time.sleep(500);
            leader.appendUpTo(1100);
            leader.time.sleep(25_000);
            leader.recordFetchNow(1002);
            assertEquals(tx, leader.lastCaughtUpMs(), "the KIP expects ty + 25 s");
            assertTrue(leader.followerIsOutOfSync());

            leader.recordFetchNow(1100);
            assertEquals(leader.time.milliseconds(), leader.lastCaughtUpMs(), "the other branch sets the time given");
            assertFalse(leader.followerIsOutOfSync());
        }
    }

    /** All five items that the KIP lists, with the feature on and off. */
    @Test
    @EnabledIfSystemProperty(named = "insync.jvm", matches = "woven")
    void whatTheLeaderKnowsOfAFollowerIsShown() throws Exception {
        for (boolean enable : new boolean[] {true, false}) {
            try (Leader leader = new Leader(folder.resolve("state-" + enable), enable)) {
                long tx = leader.time.milliseconds();
                leader.appendUpTo(1002);
                leader.fetch(950, answers);
                leader.time.sleep(500);
                leader.appendUpTo(1100);
                leader.fetch(1002, answers);

                Map<String, Object> shown =
                    PartitionEvents.follower(leader.partition(), Leader.FOLLOWER);
                shown.keySet().removeAll(List.of("replica", "lag_ms", "pending"));
                assertEquals(Map.of("log_start_offset", 0L, "leo", 1002L, "last_fetch_leader_leo", 1100L,
                    "last_fetch_ms", tx + 500, "last_caught_up_ms", tx), shown);
            }
        }
    }

    /** A caught-up follower waits in the purgatory; the read that ends its wait stalls in the producer's thread. */
    @Test
    void readFromPurgatoryStalls() throws Exception {
        try (Leader leader = new Leader(folder, true)) {
            leader.appendUpTo(10);
            leader.fetch(10, answers);
            assertEquals(0, answers.size(), "the fetch waits");
            leader.duringRead(() -> stall(leader, 25));
            leader.appendUpTo(20);
            leader.completeDelayedFetches();
            outOfSync.add(leader.followerIsOutOfSync());

            assertEquals(1, answers.size());
            assertEquals(!WOVEN, outOfSync.contains(true), "out of sync at some second: " + outOfSync);
            leader.time.sleep(Leader.LAG_MS);
            assertEquals(!WOVEN, leader.followerIsOutOfSync(), "caught up as of the completion");
            leader.time.sleep(1);
            assertTrue(leader.followerIsOutOfSync());
        }
    }

    /** A mark ends with its fetch: a follower that does not fetch again is removed as in stock Kafka. */
    @Test
    void followerThatStopsFetchingIsDropped() throws Exception {
        try (Leader leader = new Leader(folder, true)) {
            leader.appendUpTo(10);
            leader.fetch(0, answers);
            leader.appendUpTo(20);
            leader.fetch(10, answers);
            assertFalse(leader.followerIsOutOfSync());
            leader.time.sleep(Leader.LAG_MS + 1);
            assertTrue(leader.followerIsOutOfSync());
        }
    }

    /** A follower that was already behind before the leader's stall gets no mark; only Kafka's rule applies. */
    @Test
    void followerThatWasBehindIsNotHeld() throws Exception {
        try (Leader leader = new Leader(folder, true)) {
            leader.appendUpTo(1002);
            leader.fetch(0, answers);
            leader.duringRead(() -> stall(leader, 25));
            leader.fetch(500, answers);
            assertTrue(outOfSync.contains(true), "out of sync at some second: " + outOfSync);
        }
    }

    /** Re-election clears the old epoch's marks; their fetch may complete at any later time. */
    @Test
    void reElectionClearsMarks() throws Exception {
        try (Leader leader = new Leader(folder, true)) {
            leader.appendUpTo(10);
            leader.fetch(10, answers);
            leader.elect(6);
            leader.appendUpTo(20);
            leader.time.sleep(Leader.LAG_MS + 1);
            assertTrue(leader.followerIsOutOfSync(), "the old epoch's pending fetch protects no follower");
            leader.completeDelayedFetches();
            assertTrue(leader.followerIsOutOfSync(), "its completion does not, either");
        }
    }

    /** Leadership lost and regained: the first fetch has no previous LEO to compare with, so it is pending even if behind. */
    @Test
    void firstFetchToANewLeaderIsPending() throws Exception {
        try (Leader leader = new Leader(folder, true)) {
            leader.appendUpTo(10);
            leader.fetch(10, answers);
            leader.elect(Leader.FOLLOWER, 6);
            leader.elect(7);
            leader.duringRead(() -> stall(leader, 25));
            leader.fetch(5, answers);
            assertEquals(!WOVEN, outOfSync.contains(true), "out of sync at some second: " + outOfSync);
            leader.completeDelayedFetches();
        }
    }

    /** A failed read completes its fetch with an error: the mark is released and the follower gets the error. */
    @Test
    void failedReadReleasesTheMark() throws Exception {
        try (Leader leader = new Leader(folder, true)) {
            leader.appendUpTo(10);
            leader.duringRead(() -> {
                throw new IllegalStateException("disk");
            });
            leader.fetch(0, answers);
            assertEquals(Errors.UNKNOWN_SERVER_ERROR, answers.get(0));
            leader.duringRead(() -> { });
            leader.time.sleep(Leader.LAG_MS + 1);
            assertTrue(leader.followerIsOutOfSync());
        }
    }

    /** An exception in our own code is counted and exposed, and the fetch is answered as without the agent. */
    @Test
    @EnabledIfSystemProperty(named = "insync.jvm", matches = "woven")
    void failureOfOursNeverFailsAFetch() throws Exception {
        Insync.install(new Insync(new EventLog()));
        try (Leader leader = new Leader(folder, true)) {
            leader.appendUpTo(10);
            leader.breakNextFetchForWhoeverReadsItsPartitionsFirst();
            leader.fetch(0, answers);
            assertEquals(Errors.NONE, answers.get(0));
            assertEquals(1, Insync.current().failures.count());
            assertTrue(Insync.current().failures.last().contains("broken for the first reader"));
            assertEquals(0, Insync.current().stats.pendingNow());
        } finally {
            Insync.install(new Insync(new EventLog()));
        }
    }

    private void stall(Leader leader, int seconds) {
        for (int second = 0; second < seconds; second++) {
            leader.time.sleep(1_000);
            outOfSync.add(leader.followerIsOutOfSync());
        }
    }
}
