package insync.lab.events;

import insync.core.events.EventLog.EventCounts;
import insync.lab.events.EventQueue.EventSink;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * Writes events to a topic with the broker's own Kafka client. Only the event log's thread calls it. That thread may
 * wait until the topic exists, or for room in the producer's buffer while the topic's leader stalls.
 */
final class EventsTopicSink implements EventSink {
    private final String topic;
    private final byte[] key;
    private final Supplier<Producer<byte[], byte[]>> makeProducer;
    private final EventCounts counts;
    private Producer<byte[], byte[]> producer;
    private boolean impossible;
    private boolean known;

    /**
     * @param key key of all records, so that they stay in order
     * @param makeProducer creates the producer; called once, by the thread that writes
     */
    EventsTopicSink(String topic, String key, Supplier<Producer<byte[], byte[]>> makeProducer, EventCounts counts) {
        this.topic = topic;
        this.key = key.getBytes(StandardCharsets.UTF_8);
        this.makeProducer = makeProducer;
        this.counts = counts;
    }

    /** Returns false for events about the topic itself, because each of them would cause another. */
    @Override
    public boolean wants(Map<String, Object> event) {
        return !topic.equals(event.get("topic"));
    }

    @Override
    public void write(String line) throws IOException, InterruptedException {
        try {
            open();
            ProducerRecord<byte[], byte[]> sent =
                new ProducerRecord<>(topic, key, line.getBytes(StandardCharsets.UTF_8));
            producer.send(sent, (metadata, failure) -> count(failure));
        } catch (InterruptException ending) {
            throw new InterruptedException(ending.getMessage());
        } catch (KafkaException refused) {
            throw new IOException(refused);
        }
    }

    private void count(Exception failure) {
        if (failure == null) {
            counts.wasWritten();
        } else {
            counts.wasDropped();
        }
    }

    /** Creates the producer and waits without a limit until the topic exists. */
    private void open() throws IOException {
        if (producer == null) {
            producer = made();
        }
        while (!known) {
            try {
                producer.partitionsFor(topic);
                known = true;
            } catch (TimeoutException notYet) {
                // Meanwhile events wait in the queue, or are dropped and counted there.
            }
        }
    }

    private Producer<byte[], byte[]> made() throws IOException {
        if (impossible) {
            throw new IOException("no producer");
        }
        try {
            return makeProducer.get();
        } catch (KafkaException wrong) {
            impossible = true;
            System.err.println("[insync] " + EventsTopicConfigs.TOPIC + "=" + topic + ": no events are written: "
                + (wrong.getCause() == null ? wrong : wrong.getCause()).getMessage());
            throw new IOException(wrong);
        }
    }
}
