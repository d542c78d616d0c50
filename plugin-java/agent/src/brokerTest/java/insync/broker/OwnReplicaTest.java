package insync.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import insync.lab.view.LeaderView;
import java.nio.file.Path;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** What the bridge shows of a broker's own replica, with and without its log. */
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
}
