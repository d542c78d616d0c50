package insync.lab.events;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import insync.core.events.EventLog;
import insync.lab.events.EventFileLog.EventFile;
import insync.lab.events.EventQueue.EventSink;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lines are complete, versioned and soon on disk; a log without a file accepts all events. */
class EventLogTest {
    @TempDir
    Path folder;

    @Test
    void aLineHasVersionTimeTypeAndFields() throws Exception {
        Path file = folder.resolve("broker-1.jsonl");
        EventFileLog events = EventFileLog.to(file, Long.MAX_VALUE, 1);
        events.emit("isr_shrink", EventLog.fields("topic", "a\"b\n", "isr", List.of(1, 2), "nothing", null));
        List<String> lines = WrittenLines.await(file, 1);
        JsonObject line = JsonParser.parseString(lines.get(0)).getAsJsonObject();
        assertEquals(EventFileLog.SCHEMA, line.get("v").getAsInt());
        assertEquals("isr_shrink", line.get("type").getAsString());
        assertEquals("a\"b\n", line.get("topic").getAsString());
        assertTrue(line.get("t_ms").getAsLong() > 0);
        assertTrue(line.get("nothing").isJsonNull());
        assertEquals(0, events.dropped());
    }

    @Test
    void aFileThatCannotBeOpenedFailsAtOnce() {
        assertThrows(IOException.class, () -> EventFileLog.to(folder.resolve("missing").resolve("broker-1.jsonl"), Long.MAX_VALUE, 1));
    }

    @Test
    void whatIsNotAFileIsRefusedAtOnce() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        for (Path other : List.of(pipe, folder)) {
            assertTimeoutPreemptively(Duration.ofSeconds(20), () -> {
                IOException refused = assertThrows(IOException.class, () -> EventFileLog.to(other, Long.MAX_VALUE, 1));
                assertTrue(refused.getMessage().contains("not a regular file"), refused.getMessage());
            });
        }
    }

    /** A full disk takes half of a line: the line counts as dropped, and the lines around it stay readable. */
    @Test
    void aLineThatAFullDiskCutsIsCountedAndEnded() throws Exception {
        Path file = folder.resolve("broker-1.jsonl");
        FullOnce disk = new FullOnce(FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE));
        EventFileLog events = new EventFileLog(disk);
        for (String type : List.of("before", "cut", "after")) {
            events.emit(type, EventLog.fields());
        }
        List<String> lines = WrittenLines.await(file, 3);
        assertEquals(3, lines.size());
        assertEquals("before", type(lines.get(0)));
        assertFalse(lines.get(1).endsWith("}"), lines.get(1));
        assertEquals("after", type(lines.get(2)));
        assertEquals(1, events.dropped());
    }

    @Test
    void aLogWithoutAFileAcceptsEventsAndCountsNoDrops() {
        EventLog none = new EventLog();
        none.emit("settings", EventLog.fields());
        assertEquals(0, none.dropped());
    }

    /** A stuck second destination loses its own events, which are counted, and delays neither callers nor the file. */
    @Test
    void aStuckSecondDestinationDelaysNothing() throws Exception {
        Path file = folder.resolve("broker-1.jsonl");
        EventFileLog events = EventFileLog.to(file, Long.MAX_VALUE, 1);
        CountDownLatch stuck = new CountDownLatch(1);
        events.publish(line -> stuck.await());
        events.emit("taken", EventLog.fields());
        int more = EventQueue.CAPACITY + 100;
        assertTimeoutPreemptively(Duration.ofSeconds(20), () -> {
            for (int i = 0; i < more; i++) {
                events.emit("next", EventLog.fields("i", i));
                if (i % 1_000 == 0) {
                    WrittenLines.await(file, i + 2);
                }
            }
            WrittenLines.await(file, more + 1);
        });
        // One event may or may not have left the queue for the sink by the time it filled up.
        assertTrue(events.published().dropped() == 100 || events.published().dropped() == 101);
        assertEquals(0, events.dropped());
        stuck.countDown();
    }

    /** A lost event of the second destination is counted, and later lines are written. */
    @Test
    void aLineThatIsLostIsCounted() throws Exception {
        EventFileLog events = EventFileLog.withoutFile();
        BlockingQueue<String> came = new LinkedBlockingQueue<>();
        events.publish(line -> {
            if (line.contains("bad")) {
                throw new IOException("lost");
            }
            if (line.contains("worse")) {
                throw new IllegalStateException("not expected");
            }
            came.add(line);
        });
        events.emit("bad", EventLog.fields());
        events.emit("worse", EventLog.fields());
        events.emit("good", EventLog.fields());
        assertTrue(came.poll(10, TimeUnit.SECONDS).contains("good"));
        assertEquals(2, events.published().dropped());
    }

    @Test
    void anEventThatTheSecondDestinationDoesNotTakeIsNotALoss() throws Exception {
        EventFileLog events = EventFileLog.withoutFile();
        BlockingQueue<String> came = new LinkedBlockingQueue<>();
        events.publish(new EventSink() {
            @Override
            public boolean wants(Map<String, Object> event) {
                return !"own".equals(event.get("topic"));
            }

            @Override
            public void write(String line) {
                came.add(line);
            }
        });
        events.emit("isr_shrink", EventLog.fields("topic", "own"));
        events.emit("isr_shrink", EventLog.fields("topic", "other"));
        assertTrue(came.poll(10, TimeUnit.SECONDS).contains("other"));
        assertEquals(0, events.published().dropped());
    }

    private static String type(String line) {
        return JsonParser.parseString(line).getAsJsonObject().get("type").getAsString();
    }

    /** Has no space left in the middle of the second line, and takes at most 7 bytes at a time of the others. */
    private static final class FullOnce implements EventFile {
        private final FileChannel file;
        private boolean wasFull;

        FullOnce(FileChannel file) {
            this.file = file;
        }

        @Override
        public int write(ByteBuffer bytes) throws IOException {
            boolean cut = StandardCharsets.UTF_8.decode(bytes.duplicate().rewind()).toString().contains("cut");
            if (cut && bytes.position() > 0 && !wasFull) {
                wasFull = true;
                throw new IOException("No space left on device");
            }
            ByteBuffer part = bytes.slice().limit(Math.min(7, bytes.remaining()));
            int written = file.write(part);
            bytes.position(bytes.position() + written);
            return written;
        }

        @Override
        public void lineBegins(int bytes) { }

        @Override
        public boolean isOpen() {
            return file.isOpen();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
