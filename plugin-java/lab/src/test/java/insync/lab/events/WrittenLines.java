package insync.lab.events;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** Reads the lines of an events file, which another thread writes. */
public final class WrittenLines {
    private WrittenLines() {
    }

    /** Waits for this many complete lines and returns them; fails if there are fewer after 10 s, or more. */
    public static List<String> await(Path file, int count) throws IOException {
        long end = System.nanoTime() + 10_000_000_000L;
        List<String> lines = List.of();
        while (lines.size() < count && System.nanoTime() < end) {
            // Counts only complete lines: the file may be read during a write.
            String text = Files.readString(file);
            lines = text.substring(0, text.lastIndexOf('\n') + 1).lines().collect(Collectors.toList());
            Thread.onSpinWait();
        }
        assertEquals(count, lines.size(), lines::toString);
        return lines;
    }
}
