package insync.logs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.LeaderChangeMessage;
import org.apache.kafka.common.metadata.PartitionChangeRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.metadata.MetadataRecordSerde;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Prints a metadata log that Kafka's own classes wrote. */
class PrintMetadataTest {
    private static final Uuid TOPIC = Uuid.fromString("1EBRKD7xRm6dAljOwOCGcQ");
    private static final String NAMED =
        "{\"t_ms\":1000,\"type\":\"TOPIC_RECORD\",\"data\":{\"name\":\"events\",\"topicId\":\"1EBRKD7xRm6dAljOwOCGcQ\"}}";
    private static final String SHRUNK =
        "{\"t_ms\":2000,\"type\":\"PARTITION_CHANGE_RECORD\",\"data\":"
            + "{\"partitionId\":1,\"topicId\":\"1EBRKD7xRm6dAljOwOCGcQ\",\"isr\":[2]}}";

    @TempDir
    Path folder;

    @Test
    void printsRecordsOfAllSegmentsAndNoControlBatch() throws Exception {
        write(0, leaderChange(), batch(1, 1000, named()));
        write(2, batch(2, 2000, shrunk()));
        assertEquals(List.of(NAMED, SHRUNK), printed());
    }

    @Test
    void printsEveryRecordOfABatch() throws Exception {
        write(0, batch(0, 1000, named(), named()));
        assertEquals(List.of(NAMED, NAMED), printed());
    }

    @Test
    void leavesOutAnIncompleteLastBatch() throws Exception {
        write(0, batch(0, 1000, named()), cut(batch(1, 2000, shrunk())));
        assertEquals(List.of(NAMED), printed());
    }

    @Test
    void refusesAnIncompleteBatchBeforeTheEnd() throws Exception {
        write(0, cut(batch(0, 1000, named())));
        write(1, batch(1, 2000, shrunk()));
        IOException refused = assertThrows(IOException.class, this::printed);
        assertTrue(refused.getMessage().endsWith("00000000000000000000.log are not a complete batch"), refused.getMessage());
    }

    @Test
    void refusesAFolderWithoutSegments() {
        IOException refused = assertThrows(IOException.class, this::printed);
        assertEquals("no segments in " + folder, refused.getMessage());
    }

    private List<String> printed() throws Exception {
        Path out = folder.resolve("out.jsonl");
        PrintMetadata.main(new String[] {out.toString(), folder.toString()});
        return Files.readAllLines(out);
    }

    private void write(long baseOffset, ByteBuffer... batches) throws IOException {
        int size = Arrays.stream(batches).mapToInt(ByteBuffer::remaining).sum();
        ByteBuffer segment = ByteBuffer.allocate(size);
        Arrays.stream(batches).forEach(segment::put);
        Files.write(folder.resolve(String.format("%020d.log", baseOffset)), segment.array());
    }

    private static ByteBuffer batch(long baseOffset, long timeMs, ApiMessage... messages) {
        SimpleRecord[] records = Arrays.stream(messages)
            .map(message -> new SimpleRecord(timeMs, null, serialized(message)))
            .toArray(SimpleRecord[]::new);
        return MemoryRecords.withRecords(baseOffset, Compression.NONE, records).buffer();
    }

    private static ByteBuffer leaderChange() {
        LeaderChangeMessage message = new LeaderChangeMessage().setLeaderId(100);
        return MemoryRecords.withLeaderChangeMessage(0, 500, 1, ByteBuffer.allocate(256), message).buffer();
    }

    private static ByteBuffer cut(ByteBuffer batch) {
        return batch.limit(batch.limit() - 1);
    }

    private static ApiMessage named() {
        return new TopicRecord().setName("events").setTopicId(TOPIC);
    }

    private static ApiMessage shrunk() {
        return new PartitionChangeRecord().setPartitionId(1).setTopicId(TOPIC).setIsr(List.of(2));
    }

    private static byte[] serialized(ApiMessage message) {
        MetadataRecordSerde serde = new MetadataRecordSerde();
        ApiMessageAndVersion versioned = new ApiMessageAndVersion(message, (short) 0);
        ObjectSerializationCache cache = new ObjectSerializationCache();
        ByteBuffer written = ByteBuffer.allocate(serde.recordSize(versioned, cache));
        serde.write(versioned, cache, new ByteBufferAccessor(written));
        return written.array();
    }
}
