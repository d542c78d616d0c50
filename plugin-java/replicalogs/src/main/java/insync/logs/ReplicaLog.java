package insync.logs;

import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.util.Arrays;

/** One replica's log: the folder of a partition at a broker, printed batch by batch. */
final class ReplicaLog {
    private static final String SEGMENT = "\\d{20}\\.log";

    private final KafkaRecords kafka;
    private final BufferedWriter out;
    private final String place;
    private long startOffset;
    private long endOffset;
    private long batches;

    ReplicaLog(KafkaRecords kafka, BufferedWriter out, String topic, String partition, String replica) {
        this.kafka = kafka;
        this.out = out;
        place = "\"topic\":\"" + topic + "\",\"partition\":" + partition + ",\"replica\":" + replica;
    }

    /** Prints its batches, and what became of it: a log that is read in part says why in {@code problem}. */
    void print(File folder) throws IOException {
        String problem = null;
        try {
            printSegments(folder);
        } catch (IOException | RuntimeException unreadable) {
            problem = unreadable.toString();
        }
        out.write("{\"kind\":\"log\"," + place + ",\"start_offset\":" + startOffset + ",\"end_offset\":" + endOffset
                + ",\"batches\":" + batches + ",\"problem\":" + quoted(problem) + "}\n");
    }

    private void printSegments(File folder) throws IOException {
        File[] segments = folder.listFiles((dir, name) -> name.matches(SEGMENT));
        if (segments == null || segments.length == 0) {
            throw new IOException("no segments in " + folder);
        }
        Arrays.sort(segments);
        startOffset = baseOf(segments[0]);
        endOffset = startOffset;
        for (File segment : segments) {
            endOffset = Math.max(endOffset, baseOf(segment));
            long left = printSegment(segment);
            if (left != 0 && segment != segments[segments.length - 1]) {
                throw new IOException(left + " bytes of " + segment + " are no whole batch");
            }
        }
    }

    /** Returns how many bytes at its end are not a whole batch. */
    private long printSegment(File file) throws IOException {
        try (KafkaRecords.Segment segment = kafka.open(file)) {
            long left = segment.sizeInBytes();
            for (Object header : segment.batches()) {
                KafkaRecords.Batch batch = kafka.new Batch(header);
                left -= (Integer) batch.get("sizeInBytes");
                endOffset = (Long) batch.get("lastOffset") + 1;
                batches++;
                out.write(line(batch));
            }
            return left;
        }
    }

    private String line(KafkaRecords.Batch batch) {
        return "{\"kind\":\"batch\"," + place
                + ",\"base_offset\":" + batch.get("baseOffset")
                + ",\"last_offset\":" + batch.get("lastOffset")
                + ",\"leader_epoch\":" + batch.get("partitionLeaderEpoch")
                + ",\"producer_id\":" + batch.get("producerId")
                + ",\"producer_epoch\":" + batch.get("producerEpoch")
                + ",\"base_sequence\":" + batch.get("baseSequence")
                + ",\"crc\":" + batch.get("checksum")
                + ",\"bytes\":" + batch.get("sizeInBytes")
                + ",\"transactional\":" + batch.get("isTransactional")
                + ",\"control\":" + quoted(batch.control())
                + ",\"valid\":" + batch.get("isValid") + "}\n";
    }

    private static long baseOf(File segment) {
        return Long.parseLong(segment.getName().substring(0, 20));
    }

    /** Returns a text as JSON; what would need an escape becomes a blank. */
    private static String quoted(String text) {
        return text == null ? "null" : '"' + text.replaceAll("[\\p{Cntrl}\"\\\\]", " ") + '"';
    }
}
