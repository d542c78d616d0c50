package insync.lab.events;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.Test;

/** The configs are off by default and refuse invalid values; a broker's own address comes from its listeners. */
class EventsTopicConfigsTest {

    @Test
    void byDefaultThereIsNoTopic() {
        assertEquals(Map.of(EventsTopicConfigs.TOPIC, "", EventsTopicConfigs.BOOTSTRAP, "", EventsTopicConfigs.ORIGIN, ""),
            parsed(Map.of()));
    }

    @Test
    void theTopicsNameMustBeValid() {
        refused(EventsTopicConfigs.TOPIC, "insync events");
        refused(EventsTopicConfigs.TOPIC, "..");
    }

    @Test
    void addressesNeedPorts() {
        parsed(Map.of(EventsTopicConfigs.BOOTSTRAP, "one:9092,[::1]:9093"));
        refused(EventsTopicConfigs.BOOTSTRAP, "one");
        refused(EventsTopicConfigs.BOOTSTRAP, "one:9092,");
        refused(EventsTopicConfigs.BOOTSTRAP, "one:port");
    }

    @Test
    void theInterBrokerListenerIsPreferred() {
        assertEquals("node-1:9094", own(Map.of(
            "listeners", "CLIENT://:9092,INTERNAL://:9094",
            "advertised.listeners", "CLIENT://example.org:9092,INTERNAL://node-1:9094",
            "inter.broker.listener.name", "INTERNAL",
            "listener.security.protocol.map", "CLIENT:PLAINTEXT,INTERNAL:PLAINTEXT")));
    }

    @Test
    void aListenerThatIsNotAdvertisedIsUsedByItsOwnAddress() {
        assertEquals("localhost:9092", own(Map.of("listeners", "PLAINTEXT://:9092")));
    }

    @Test
    void aControllerListenerIsNotUsed() {
        assertEquals("b:2", own(Map.of("listeners", "C://a:1,PLAINTEXT://b:2", "controller.listener.names", "C",
            "listener.security.protocol.map", "C:PLAINTEXT,PLAINTEXT:PLAINTEXT")));
    }

    @Test
    void withoutAPlaintextListenerThereIsNoAddress() {
        assertNull(own(Map.of("listeners", "SASL_SSL://a:1")));
        assertNull(own(Map.of()));
    }

    private static String own(Map<String, Object> properties) {
        return new OwnListeners(properties).plaintext();
    }

    private static Map<String, Object> parsed(Map<String, String> settings) {
        ConfigDef definition = new ConfigDef();
        EventsTopicConfigs.define(definition);
        return definition.parse(settings);
    }

    private static void refused(String key, String value) {
        String message = assertThrows(ConfigException.class, () -> parsed(Map.of(key, value))).getMessage();
        assertTrue(message.contains(key) && message.contains(value) && message.contains("expected"), message);
    }
}
