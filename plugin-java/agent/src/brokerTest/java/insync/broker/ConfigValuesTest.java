package insync.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import insync.agent.config.BrokerConfigs;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.Test;

/** Whatever the values of the agent's configs are, a broker takes them, or refuses them as it refuses Kafka's own. */
class ConfigValuesTest {
    private static final boolean WOVEN = "woven".equals(System.getProperty("insync.jvm"));
    private static final int TRIES = 1_000;
    private static final List<String> KEYS = List.of("follower.fetch.pending.reads.insync.enable",
        "insync.scope", "leader.fetch.process.time.max.ms", "insync.appends.enable", "insync.relinquish.via",
        "insync.relinquish.isr", "insync.relinquish.cooldown.ms", "insync.relinquish.limits.enable",
        "insync.lab.relinquish.only.enable", "insync.log.start.fix", "insync.lab.lag.policy", "insync.events.topic",
        "insync.events.bootstrap", "insync.events.origin");
    private static final List<String> WORDS = List.of("", " ", "true", "false", "read", "request", "off", "auto", "fence", "both", "bound",
        "alter-partition", "keep-last", "leave", "time", "messages:1", "messages:0", "messages:", "messages:99999999999999999999",
        "0", "-0", "1", "-1", "0.5", "5", "NaN", "Infinity", "-Infinity", "1e309", "4.9E-324", "0x10", "1_000", "2147483648",
        "9223372036854775807", "9223372036854775808", "-9223372036854775808", "host:9092", "[::1]:1", "host:", ":9092", "..",
        "a\0b", "\ud800", "%s%n", "${file:/etc/passwd:x}", "é");

    private final Random random = new Random(19);

    private String value() {
        switch (random.nextInt(4)) {
            case 0:
                return String.valueOf(random.nextLong() >> random.nextInt(64));
            case 1:
                return String.valueOf(Double.longBitsToDouble(random.nextLong()));
            default:
                return WORDS.get(random.nextInt(WORDS.size()));
        }
    }

    private Map<String, String> configs() {
        Map<String, String> configs = new HashMap<>();
        for (int i = random.nextInt(4); i >= 0; i--) {
            configs.put(KEYS.get(random.nextInt(KEYS.size())), value());
        }
        return configs;
    }

    /** Numbers that are taken can be computed with; what is said about them at the start is one line each. */
    private static void taken(KafkaConfig config) {
        for (String key : KEYS) {
            Object value = config.values().get(key);
            assertFalse(value instanceof Double && ((Double) value).isNaN(), key);
        }
        BrokerConfigs.inForce(config);
        BrokerConfigs.all(config);
    }

    @Test
    void anyValueIsTakenOrRefusedByName() {
        int refused = 0;
        for (int i = 0; i < TRIES; i++) {
            Map<String, String> configs = configs();
            Map<String, String> all = new HashMap<>(KafkaParts.CONFIGS);
            all.putAll(configs);
            try {
                KafkaConfig config = new KafkaConfig(all);
                if (WOVEN) {
                    taken(config);
                }
            } catch (ConfigException error) {
                refused++;
                assertTrue(KEYS.stream().anyMatch(error.getMessage()::contains), configs + ": " + error.getMessage());
            }
        }
        if (WOVEN) {
            assertTrue(refused > TRIES / 4 && refused < TRIES, "refused " + refused);
        } else {
            assertEquals(0, refused, "Kafka ignores configs that it does not know");
        }
    }
}
