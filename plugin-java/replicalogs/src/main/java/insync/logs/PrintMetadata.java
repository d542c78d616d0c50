package insync.logs;

import java.io.BufferedWriter;
import java.io.File;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.kafka.common.metadata.MetadataJsonConverters;
import org.apache.kafka.common.metadata.MetadataRecordType;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.metadata.MetadataRecordSerde;
import org.apache.kafka.server.common.ApiMessageAndVersion;

/**
 * Writes the records of a KRaft metadata log as JSON lines, one per record: the controller's time, the record's type, and
 * its fields as Kafka names them.
 *
 * <p>{@code PrintMetadata OUT FOLDER}, where FOLDER is the folder of {@code __cluster_metadata-0}. The log may be in use:
 * an incomplete last batch is left out. Snapshots are not read.
 */
public final class PrintMetadata {
    private PrintMetadata() { }

    /** See the class. */
    public static void main(String[] arguments) throws Exception {
        SegmentedLog log = new SegmentedLog(new KafkaRecords(), new File(arguments[1]));
        MetadataRecordSerde serde = new MetadataRecordSerde();
        try (BufferedWriter out = Files.newBufferedWriter(Path.of(arguments[0]), StandardCharsets.UTF_8)) {
            log.read(batch -> {
                if (batch.control() == null) {
                    batch.read((timeMs, value) -> out.write(line(timeMs, serde, value)));
                }
            });
        }
    }

    private static String line(long timeMs, MetadataRecordSerde serde, ByteBuffer value) {
        ApiMessageAndVersion record = serde.read(new ByteBufferAccessor(value), value.remaining());
        return "{\"t_ms\":" + timeMs
                + ",\"type\":\"" + MetadataRecordType.fromId(record.message().apiKey())
                + "\",\"data\":" + MetadataJsonConverters.writeJson(record.message(), record.version()) + "}\n";
    }
}
