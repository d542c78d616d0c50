package insync.lab.events;

import java.util.LinkedHashMap;
import java.util.Map;
import kafka.server.KafkaConfig;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Publishes the agent's events to the topic that a broker's settings name. */
public final class EventsTopic {
    /** How long a producer's call may take before a retry or before the event is dropped, milliseconds. */
    private static final int MAX_BLOCK_MS = 5_000;
    private static final long BUFFER_BYTES = 4L << 20;
    /** Long enough to send simultaneous events with one request, milliseconds. */
    private static final int LINGER_MS = 50;

    private EventsTopic() { }

    /** Starts to publish events if a broker's settings name a topic. */
    public static void started(KafkaConfig config, EventFileLog events) {
        if (!EventsTopicConfigs.isOn(config)) {
            return;
        }
        String bootstrap = EventsTopicConfigs.bootstrap(config);
        if (bootstrap == null) {
            System.err.println("[insync] " + EventsTopicConfigs.TOPIC + " has no effect: this broker has no plaintext listener, "
                + "expected " + EventsTopicConfigs.BOOTSTRAP + "=host:port");
            return;
        }
        Map<String, Object> settings = producer(config, bootstrap);
        events.publish(new EventsTopicSink(config.getString(EventsTopicConfigs.TOPIC), key(config),
            () -> new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer()), events.published()));
        events.emit("events_topic", EventsTopicConfigs.all(config));
    }

    /** Returns the records' key: the origin, and the name of the file with the same lines. */
    private static String key(KafkaConfig config) {
        String origin = config.getString(EventsTopicConfigs.ORIGIN);
        return (origin.isEmpty() ? "" : origin + "/") + "broker-" + config.brokerId() + ".jsonl";
    }

    private static Map<String, Object> producer(KafkaConfig config, String bootstrap) {
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("bootstrap.servers", bootstrap);
        settings.put("client.id", "insync-events-" + config.brokerId());
        settings.put("acks", "all");
        settings.put("enable.idempotence", true);
        settings.put("max.block.ms", MAX_BLOCK_MS);
        settings.put("buffer.memory", BUFFER_BYTES);
        settings.put("linger.ms", LINGER_MS);
        settings.putAll(config.originalsWithPrefix(EventsTopicConfigs.PRODUCER_PREFIX));
        return settings;
    }
}
