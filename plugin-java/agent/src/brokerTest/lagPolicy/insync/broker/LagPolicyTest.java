package insync.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import insync.core.Insync;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Lag by messages on the broker's real classes with a mock clock: the effect of Kafka 0.8's rule on a follower, with the
 * config on and off in one JVM. In the JVM without the agent the config is unknown, and Kafka's rule by time applies.
 */
class LagPolicyTest {
    private static final boolean WOVEN = "woven".equals(System.getProperty("insync.jvm"));

    @TempDir
    Path folder;
    private final List<Errors> answers = new ArrayList<>();

    @AfterEach
    void noFailureOfOurs() {
        if (WOVEN) {
            assertEquals("", Insync.current().failures.last());
        }
    }

    /** The false alarm: the follower lacks a burst of this same millisecond, and returns with its next fetch. */
    @Test
    void aBurstDropsAFollowerThatKeepsUp() throws Exception {
        try (Leader leader = leader("messages:4")) {
            leader.appendUpTo(10);
            leader.fetch(10, answers);
            leader.appendUpTo(14);
            assertFalse(leader.followerIsOutOfSync(), "4 behind");
            leader.appendUpTo(15);
            assertEquals(WOVEN, leader.followerIsOutOfSync(), "5 behind");
            leader.fetch(15, answers);
            assertFalse(leader.followerIsOutOfSync(), "it has caught up");
        }
    }

    /** The missed alarm: a follower that is always behind by less than the threshold stays in sync while it fetches. */
    @Test
    void aSlowFollowerOfAQuietTopicStays() throws Exception {
        try (Leader leader = leader("messages:4000")) {
            leader.appendUpTo(1_000);
            leader.fetch(0, answers);
            for (int second = 0; second < 60; second++) {
                leader.time.sleep(1_000);
                leader.fetch(second, answers);
            }
            assertEquals(!WOVEN, leader.followerIsOutOfSync());
        }
    }

    @Test
    void aStuckFollowerIsDroppedByTime() throws Exception {
        try (Leader leader = leader("messages:4000")) {
            leader.appendUpTo(10);
            leader.fetch(10, answers);
            leader.appendUpTo(11);
            leader.time.sleep(Leader.LAG_MS);
            assertFalse(leader.followerIsOutOfSync());
            leader.time.sleep(1);
            assertTrue(leader.followerIsOutOfSync());
        }
    }

    /** A follower that has not fetched since the election is in sync for replica.lag.time.max.ms. */
    @Test
    void anElectionGivesEverybodyAFreshStart() throws Exception {
        try (Leader leader = leader("messages:4")) {
            leader.elect(Leader.FOLLOWER, 6);
            leader.elect(7);
            leader.appendUpTo(100);
            assertFalse(leader.followerIsOutOfSync());
            leader.time.sleep(Leader.LAG_MS + 1);
            assertTrue(leader.followerIsOutOfSync());
        }
    }

    /** The hook stays in a JVM once it is woven; it does not change a broker whose policy is time. */
    @Test
    void byTimeABurstIsForgiven() throws Exception {
        leader("messages:4").close();
        try (Leader leader = new Leader(folder.resolve("time"), Map.of("insync.lab.lag.policy", "time"))) {
            leader.appendUpTo(10);
            leader.fetch(10, answers);
            leader.appendUpTo(110);
            assertFalse(leader.followerIsOutOfSync());
        }
    }

    private Leader leader(String policy) throws Exception {
        return new Leader(folder.resolve("messages"), Map.of("insync.lab.lag.policy", policy));
    }
}
