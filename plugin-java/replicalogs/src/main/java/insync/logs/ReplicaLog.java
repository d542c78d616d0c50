package insync.logs;

import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;

/** Prints one replica's log, the folder of a partition at a broker, batch by batch. */
final class ReplicaLog {
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

    /** Prints its batches and a summary line; if the log could be read only in part, {@code problem} has the reason. */
    void print(File folder) throws IOException {
        String problem = null;
        try {
            printBatches(folder);
        } catch (IOException | RuntimeException unreadable) {
            problem = unreadable.toString();
        }
        out.write("{\"kind\":\"log\"," + place + ",\"start_offset\":" + startOffset + ",\"end_offset\":" + endOffset
                + ",\"batches\":" + batches + ",\"problem\":" + quoted(problem) + "}\n");
    }

    private void printBatches(File folder) throws IOException {
        SegmentedLog log = new SegmentedLog(kafka, folder);
        startOffset = log.startOffset();
        endOffset = startOffset;
        log.read(batch -> {
            endOffset = (Long) batch.get("lastOffset") + 1;
            batches++;
            out.write(line(batch));
        });
        endOffset = Math.max(endOffset, log.activeOffset());
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

    /** Returns a text as JSON; characters that need an escape become blanks. */
    private static String quoted(String text) {
        return text == null ? "null" : '"' + text.replaceAll("[\\p{Cntrl}\"\\\\]", " ") + '"';
    }
}
