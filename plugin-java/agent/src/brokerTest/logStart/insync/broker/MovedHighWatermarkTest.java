package insync.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import insync.core.Insync;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** KAFKA-7104's second fix: the result of a follower's fetch has the high watermark as the fetch moved it. */
class MovedHighWatermarkTest {
    private static final boolean WOVEN = "woven".equals(System.getProperty("insync.jvm"));

    @TempDir
    Path folder;

    @Test
    void theResultHasTheMovedHighWatermarkAndStockHasThatOfTheRead() throws Exception {
        try (Leader leader = new Leader(folder, Map.of("insync.log.start.fix", "snapshot"))) {
            leader.appendUpTo(10);
            KafkaParts.read(leader.partition(), 1003, 10, leader.time.milliseconds());
            String first = KafkaParts.read(leader.partition(), Leader.FOLLOWER, 5, leader.time.milliseconds());
            String second = KafkaParts.read(leader.partition(), Leader.FOLLOWER, 10, leader.time.milliseconds());
            assertTrue(first.contains("highWatermark=" + (WOVEN ? 5 : 0)), first);
            assertTrue(second.contains("highWatermark=" + (WOVEN ? 10 : 5)), second);
            assertTrue(second.contains("logStartOffset=0") && second.contains("logEndOffset=10"), second);
            if (WOVEN) {
                assertEquals("", Insync.current().failures.last());
            }
        }
    }
}
