package insync.agent.events;

import insync.core.events.EventLog;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import kafka.server.KafkaConfig;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A broker begins: if its settings name a topic for events, its agent's go there from now on. */
public final class EventsTopic {
    /** How long a call of the producer's may take before it is tried again, or its event is dropped, milliseconds. */
    private static final int MAX_BLOCK_MS = 5_000;
    private static final long BUFFER_BYTES = 4L << 20;
    /** Long enough for what happens at once to become one request, milliseconds. */
    private static final int LINGER_MS = 50;

    private EventsTopic() { }

    /** A broker's settings are known. Where they name no topic, nothing is made. */
    public static void started(KafkaConfig config, EventLog events) {
        if (!EventsTopicConfigs.isOn(config)) {
            return;
        }
        String bootstrap = EventsTopicConfigs.bootstrap(config);
        if (bootstrap == null) {
            System.err.println("[insync] " + EventsTopicConfigs.TOPIC + " has no effect: no plaintext listener of this broker's, "
                + "expected " + EventsTopicConfigs.BOOTSTRAP + "=host:port");
            return;
        }
        Map<String, Object> settings = producer(config, bootstrap);
        events.publish(new EventsTopicSink(config.getString(EventsTopicConfigs.TOPIC), key(config),
            () -> new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer()), events.published()));
        events.emit("events_topic", EventsTopicConfigs.all(config));
    }

    /** The classes that refer to the broker's. */
    public static List<Class<?>> ownClasses() {
        return List.of(EventsTopicConfigs.class, EventsTopic.class, EventsTopicSink.class);
    }

    /** The name of the file in which the same lines would be, after where the broker belongs. */
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
