package insync.kafkatests;

import java.io.Closeable;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Writes the results of one class as JSON lines: one when a test starts, one when it has ended, one at the end of the class.
 * The file has its name only when it is complete; until then it ends in ".part".
 */
final class ResultFile implements Closeable {
    private static final int LONGEST_DETAIL = 8_000;
    private static final double NANOS_PER_MS = 1e6;

    private final Path whole;
    private final Path part;
    private final Writer writer;

    ResultFile(Path folder, String name) throws IOException {
        whole = folder.resolve(name + ".jsonl");
        part = folder.resolve(name + ".jsonl.part");
        writer = Files.newBufferedWriter(part);
    }

    void started(String id, String name, String shown) throws IOException {
        line("{\"type\":\"started\"," + test(id, name, shown) + "}");
    }

    /** Writes how a test ended; a `container` of tests is written only if it failed itself, or was aborted. */
    void ended(String id, String name, String shown, boolean container, String outcome, long nanos, String detail)
            throws IOException {
        String kept = detail.length() > LONGEST_DETAIL ? detail.substring(0, LONGEST_DETAIL) : detail;
        line("{\"type\":\"ended\"," + test(id, name, shown) + ",\"container\":" + container + ",\"outcome\":" + quoted(outcome) + ",\"ms\":" + ms(nanos)
            + ",\"detail\":" + quoted(kept) + "}");
    }

    /** Ends the file; `agent` is what the agent did meanwhile, null without it. */
    void end(long nanos, long cpuNanos, Map<String, Long> agent) throws IOException {
        String did = agent == null ? "null" : agent.entrySet().stream()
            .map(each -> quoted(each.getKey()) + ":" + each.getValue()).collect(Collectors.joining(",", "{", "}"));
        line("{\"type\":\"class\",\"ms\":" + ms(nanos) + ",\"cpu_ms\":" + ms(cpuNanos) + ",\"agent\":" + did + "}");
        writer.close();
        Files.move(part, whole, StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void close() throws IOException {
        writer.close();
    }

    private synchronized void line(String text) throws IOException {
        writer.write(text);
        writer.write('\n');
        writer.flush();
    }

    private static String test(String id, String name, String shown) {
        return "\"id\":" + quoted(id) + ",\"name\":" + quoted(name) + ",\"shown\":" + quoted(shown);
    }

    private static long ms(long nanos) {
        return Math.round(nanos / NANOS_PER_MS);
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char each : text.toCharArray()) {
            if (each == '"' || each == '\\') {
                quoted.append('\\').append(each);
            } else if (each < ' ' || Character.isSurrogate(each) || each > '~') {
                quoted.append(String.format("\\u%04x", (int) each));
            } else {
                quoted.append(each);
            }
        }
        return quoted.append('"').toString();
    }
}
