package insync.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import insync.lab.view.LeaderView;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** What the bridge shows of a broker's own replica, with and without its log, and of its followers. */
@EnabledIfSystemProperty(named = "insync.jvm", matches = "woven")
class OwnReplicaTest {
    private static final TopicPartition WITHOUT_LOG = new TopicPartition("events", 1);

    @TempDir
    Path folder;

    @Test
    void aPartitionThatHasNoLogYetIsNoReplicaYet() throws Exception {
        try (Leader leader = new Leader(folder, false)) {
            leader.appendUpTo(7);
            leader.replicas().createPartition(WITHOUT_LOG);
            LeaderView view = new LeaderView(leader.replicas(), leader.replicas().config());
            assertEquals(Map.of("log_start_offset", 0L, "high_watermark", 0L, "leo", 7L), view.ownReplica("events", 0));
            assertNull(view.ownReplica("events", 1));
            assertNull(view.ownReplica("events", 2));
        }
    }

    @Test
    void aLeaderShowsWhatItKnowsOfAFollower() throws Exception {
        try (Leader leader = new Leader(folder, false)) {
            leader.appendUpTo(7);
            long now = leader.time.milliseconds();
            leader.recordFetchNow(5);
            LeaderView view = new LeaderView(leader.replicas(), leader.replicas().config());
            Map<String, Object> shown = view.replicas("events", 0);
            assertEquals(List.of(7L, 0L), List.of(shown.get("leo"), shown.get("high_watermark")));
            Map<?, ?> follower = (Map<?, ?>) ((List<?>) shown.get("replicas")).get(1);
            assertEquals(List.of(Leader.FOLLOWER, true, 0L, 5L, 7L, now),
                Stream.of("id", "in_isr", "log_start_offset", "leo", "last_fetch_leader_leo", "last_fetch_ms").map(follower::get)
                    .collect(Collectors.toList()));
            assertEquals(leader.lastCaughtUpMs(), follower.get("last_caught_up_ms"));
            assertNull(view.replicas("events", 1));
        }
    }
}
