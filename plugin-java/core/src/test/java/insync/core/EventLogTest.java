package insync.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lines are whole, versioned and on disk soon after; a log that keeps nothing takes everything. */
class EventLogTest {
    @TempDir
    Path folder;

    @Test
    void aLineCarriesVersionTimeTypeAndFields() throws Exception {
        Path file = folder.resolve("broker-1.jsonl");
        EventLog events = EventLog.to(file);
        events.emit("isr_shrink", EventLog.fields("topic", "a\"b\n", "isr", List.of(1, 2), "nothing", null));
        List<String> lines = awaitLines(file, 1);
        JsonObject line = JsonParser.parseString(lines.get(0)).getAsJsonObject();
        assertEquals(EventLog.SCHEMA, line.get("v").getAsInt());
        assertEquals("isr_shrink", line.get("type").getAsString());
        assertEquals("a\"b\n", line.get("topic").getAsString());
        assertTrue(line.get("t_ms").getAsLong() > 0);
        assertTrue(line.get("nothing").isJsonNull());
        assertEquals(0, events.dropped());
    }

    @Test
    void aFileThatCannotBeOpenedIsSaidAtOnce() {
        assertThrows(IOException.class, () -> EventLog.to(folder.resolve("missing").resolve("broker-1.jsonl")));
    }

    @Test
    void noLogTakesEventsAndDropsNone() {
        EventLog none = EventLog.none();
        none.emit("settings", EventLog.fields());
        assertEquals(0, none.dropped());
    }

    private static List<String> awaitLines(Path file, int count) throws Exception {
        long end = System.nanoTime() + 10_000_000_000L;
        List<String> lines = List.of();
        while (lines.size() < count && System.nanoTime() < end) {
            lines = Files.readAllLines(file);
            Thread.onSpinWait();
        }
        assertEquals(count, lines.size());
        return lines;
    }
}
