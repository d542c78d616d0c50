package insync.logs;

import java.io.File;
import java.io.IOException;
import java.util.Arrays;

/** Reads a log, segment by segment, from its folder. */
final class SegmentedLog {
    private static final String SEGMENT = "\\d{20}\\.log";

    private final KafkaRecords kafka;
    private final File[] segments;

    SegmentedLog(KafkaRecords kafka, File folder) throws IOException {
        this.kafka = kafka;
        segments = folder.listFiles((dir, name) -> name.matches(SEGMENT));
        if (segments == null || segments.length == 0) {
            throw new IOException("no segments in " + folder);
        }
        Arrays.sort(segments);
    }

    /** Returns the base offset of its first segment. */
    long startOffset() {
        return baseOf(segments[0]);
    }

    /** Returns the base offset of its last segment, which may be empty. */
    long activeOffset() {
        return baseOf(segments[segments.length - 1]);
    }

    /**
     * Passes its batches to {@code reader}, in order. An incomplete batch is left out at the end of the log, and an error
     * anywhere else.
     */
    void read(BatchReader reader) throws IOException {
        for (File segment : segments) {
            long left = read(segment, reader);
            if (left != 0 && segment != segments[segments.length - 1]) {
                throw new IOException("the last " + left + " bytes of " + segment + " are not a complete batch");
            }
        }
    }

    /** Returns how many bytes at the segment's end are not a complete batch. */
    private long read(File file, BatchReader reader) throws IOException {
        try (KafkaRecords.Segment segment = kafka.open(file)) {
            long left = segment.sizeInBytes();
            for (Object header : segment.batches()) {
                KafkaRecords.Batch batch = kafka.new Batch(header);
                left -= (Integer) batch.get("sizeInBytes");
                reader.read(batch);
            }
            return left;
        }
    }

    private static long baseOf(File segment) {
        return Long.parseLong(segment.getName().substring(0, 20));
    }

    /** Receives each batch. */
    interface BatchReader {
        void read(KafkaRecords.Batch batch) throws IOException;
    }
}
