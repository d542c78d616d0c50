package insync.lab.events;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import insync.core.events.EventLog;
import insync.core.events.EventLog.EventCounts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/** Writes events as records of a topic: all with one key, none about the topic itself, every loss counted. */
class EventsTopicSinkTest {
    private final EventCounts counts = new EventCounts();
    private final Deque<RuntimeException> unknown = new ArrayDeque<>();
    private final MockProducer<byte[], byte[]> producer =
        new MockProducer<byte[], byte[]>(false, null, new ByteArraySerializer(), new ByteArraySerializer()) {
            @Override
            public List<PartitionInfo> partitionsFor(String topic) {
                if (!unknown.isEmpty()) {
                    throw unknown.pop();
                }
                return super.partitionsFor(topic);
            }
        };
    private final EventsTopicSink topic =
        new EventsTopicSink("insync-events", "run/arm/broker-1.jsonl", () -> producer, counts);

    @Test
    void aLineIsARecordWithTheKeyOfItsFile() throws Exception {
        topic.write("{\"topic\":\"ä\"}");
        ProducerRecord<byte[], byte[]> sent = producer.history().get(0);
        assertEquals("run/arm/broker-1.jsonl", new String(sent.key(), StandardCharsets.UTF_8));
        assertEquals("{\"topic\":\"ä\"}", new String(sent.value(), StandardCharsets.UTF_8));
    }

    @Test
    void onlyAcknowledgedRecordsCountAsWritten() throws Exception {
        topic.write("{}");
        topic.write("{}");
        assertEquals(0, counts.written());
        producer.completeNext();
        producer.errorNext(new TimeoutException("the leader stalls"));
        assertEquals(1, counts.written());
        assertEquals(1, counts.dropped());
    }

    /** Events wait until the topic exists and the brokers serve. */
    @Test
    void itWaitsForTheTopic() throws Exception {
        unknown.add(new TimeoutException("no metadata"));
        unknown.add(new TimeoutException("no metadata"));
        topic.write("{}");
        assertEquals(1, producer.history().size());
        assertEquals(0, counts.dropped());
    }

    @Test
    void aRecordThatKafkaRefusesIsLost() {
        unknown.add(new KafkaException("not authorized"));
        assertThrows(IOException.class, () -> topic.write("{}"));
    }

    /** With wrong configs the producer is not created again for each event. */
    @Test
    void aProducerThatCannotBeCreatedIsTriedOnce() {
        AtomicInteger tries = new AtomicInteger();
        EventsTopicSink dead = new EventsTopicSink("insync-events", "broker-1.jsonl", () -> {
            tries.incrementAndGet();
            throw new KafkaException("no such security protocol");
        }, counts);
        assertThrows(IOException.class, () -> dead.write("{}"));
        assertThrows(IOException.class, () -> dead.write("{}"));
        assertEquals(1, tries.get());
    }

    @Test
    void eventsAboutTheTopicItselfAreLeftOut() {
        assertFalse(topic.wants(EventLog.fields("topic", "insync-events", "partition", 0)));
        assertTrue(topic.wants(EventLog.fields("topic", "orders", "partition", 0)));
        assertTrue(topic.wants(EventLog.fields("broker", 1)));
    }
}
