package insync.logs;

import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;

/**
 * Writes the record batches of replicas' logs as JSON lines, one per batch, and one per log that was read.
 *
 * <p>{@code PrintBatches OUT TOPIC,TOPIC... REPLICA=FOLDER...}, where a folder is a broker's {@code log.dirs}. The logs
 * may be in use: an incomplete last batch is left out. If a log cannot be read, its line has the reason.
 */
public final class PrintBatches {
    private PrintBatches() { }

    /** See the class. */
    public static void main(String[] arguments) throws Exception {
        Set<String> topics = new TreeSet<>(Arrays.asList(arguments[1].split(",")));
        KafkaRecords kafka = new KafkaRecords();
        try (BufferedWriter out = Files.newBufferedWriter(Path.of(arguments[0]), StandardCharsets.UTF_8)) {
            for (String replica : Arrays.asList(arguments).subList(2, arguments.length)) {
                int split = replica.indexOf('=');
                printAll(kafka, out, topics, replica.substring(0, split), new File(replica.substring(split + 1)));
            }
        }
    }

    private static void printAll(
            KafkaRecords kafka, BufferedWriter out, Set<String> topics, String replica, File folder)
            throws IOException {
        String[] names = folder.list();
        if (names == null) {
            throw new IOException(folder + " is not a folder: expected a broker's log.dirs");
        }
        Arrays.sort(names);
        for (String name : names) {
            // Folders of moved or deleted logs have other names, such as TOPIC-PARTITION.ID-delete.
            int split = name.lastIndexOf('-');
            if (split > 0 && topics.contains(name.substring(0, split)) && name.substring(split + 1).matches("\\d+")) {
                new ReplicaLog(kafka, out, name.substring(0, split), name.substring(split + 1), replica)
                        .print(new File(folder, name));
            }
        }
    }
}
