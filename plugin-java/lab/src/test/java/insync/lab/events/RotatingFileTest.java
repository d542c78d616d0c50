package insync.lab.events;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of an event log are bounded, and only whole lines of the oldest one are lost. */
class RotatingFileTest {
    private static final int LINE = 10;

    @TempDir
    Path folder;

    private Path file() {
        return folder.resolve("e.jsonl");
    }

    private Path part(int number) {
        return folder.resolve("e.jsonl." + number);
    }

    private static void write(RotatingFile file, int from, int to) throws IOException {
        for (int i = from; i < to; i++) {
            byte[] line = String.format("line %04d\n", i).getBytes(StandardCharsets.UTF_8);
            assertEquals(LINE, line.length);
            file.lineBegins(line.length);
            file.write(java.nio.ByteBuffer.wrap(line));
        }
    }

    private static List<String> lines(int from, int to) {
        List<String> all = new ArrayList<>();
        for (int i = from; i < to; i++) {
            all.add(String.format("line %04d", i));
        }
        return all;
    }

    @Test
    void aFullFileIsKeptUnderANumberAndTheOldestIsDeleted() throws Exception {
        try (RotatingFile log = new RotatingFile(file(), 3 * LINE, 3)) {
            write(log, 0, 11);
        }
        assertEquals(lines(9, 11), Files.readAllLines(file()));
        assertEquals(lines(6, 9), Files.readAllLines(part(1)));
        assertEquals(lines(3, 6), Files.readAllLines(part(2)));
        assertFalse(Files.exists(part(3)));
    }

    @Test
    void aRestartContinuesTheFileAndItsSizeCounts() throws Exception {
        try (RotatingFile log = new RotatingFile(file(), 3 * LINE, 3)) {
            write(log, 0, 2);
        }
        try (RotatingFile log = new RotatingFile(file(), 3 * LINE, 3)) {
            write(log, 2, 4);
        }
        assertEquals(lines(3, 4), Files.readAllLines(file()));
        assertEquals(lines(0, 3), Files.readAllLines(part(1)));
    }

    @Test
    void aLineThatIsLongerThanAFileHasAFileOfItsOwn() throws Exception {
        try (RotatingFile log = new RotatingFile(file(), LINE / 2, 4)) {
            write(log, 0, 3);
        }
        assertEquals(lines(2, 3), Files.readAllLines(file()));
        assertEquals(lines(1, 2), Files.readAllLines(part(1)));
        assertEquals(lines(0, 1), Files.readAllLines(part(2)));
    }

    /** A folder takes the place of the next part: no line is lost, and the file grows. */
    @Test
    void whereTheFileCannotBeRenamedLinesAreStillWritten() throws Exception {
        Files.createDirectories(part(1).resolve("full"));
        try (RotatingFile log = new RotatingFile(file(), 3 * LINE, 2)) {
            write(log, 0, 8);
        }
        assertEquals(lines(0, 8), Files.readAllLines(file()));
        assertTrue(Files.isDirectory(part(1)));
    }
}
