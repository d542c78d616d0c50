package insync.weave;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Test;

/**
 * The agent's jar on one version of Kafka: the build runs this class in a JVM per version of the table, with that
 * version's class path and -javaagent. If a symbol were missing, the JVM would end before any test.
 */
class WeaveTest {
    private static final String ENABLE = "follower.fetch.pending.reads.insync.enable";
    private static final String SCOPE = "insync.scope";
    private static final String STEP_DOWN = "leader.fetch.process.time.max.ms";
    private static final String ONLY = "insync.lab.relinquish.only.enable";
    private static final String LOG_START = "insync.log.start.fix";
    private static final String POLICY = "insync.lab.lag.policy";
    private static final String VERSION = System.getProperty("insync.kafka");
    private static final List<String> SCOPES = Arrays.stream(System.getProperty("insync.scopes").split(","))
        .filter(scope -> !scope.isEmpty()).collect(Collectors.toList());
    private static final boolean ZOOKEEPER = VERSION.matches("[12][.].*");

    @Test
    void theStartSaysWhatIsWovenAndWhetherThisVersionIsTested() throws Exception {
        String installed = installed();
        assertTrue(installed.contains("\"broker_version\":\"" + VERSION + "\""), installed);
        assertTrue(installed.contains("\"tested\":" + System.getProperty("insync.tested")), installed);
    }

    /** The agent itself loads and links the classes; this test also runs their static initializers. */
    @Test
    void everyWovenClassInitializes() throws Exception {
        List<String> woven = Arrays.stream(installed().split("\"woven\":\\[\"")[1].split("\"\\]")[0].split("\",\""))
            .map(method -> method.substring(0, method.lastIndexOf('.'))).distinct().collect(Collectors.toList());
        assertTrue(woven.contains("kafka.server.ReplicaManager"), woven.toString());
        for (String name : woven) {
            assertEquals(name, Class.forName(name).getName());
        }
    }

    @Test
    void theFeatureIsOffByDefaultAndItsScopesAreThoseOfTheTable() {
        assertFalse(config(ENABLE, "false").getBoolean(ENABLE));
        assertFalse(config("broker.rack", "r").getBoolean(ENABLE));
        if (SCOPES.isEmpty()) {
            return;
        }
        assertEquals(SCOPES.contains("request") ? "request" : "read", config("broker.rack", "r").getString(SCOPE));
        SCOPES.forEach(scope -> assertEquals(scope, config(SCOPE, scope).getString(SCOPE)));
    }

    /** Kafka's own validation names the config, the value and the allowed values. */
    @Test
    void whatTheVersionCannotDoIsRefused() {
        if (SCOPES.isEmpty()) {
            ConfigException none = assertThrows(ConfigException.class, () -> config(ENABLE, "true"));
            assertTrue(none.getMessage().contains("no KIP-501 for this version"), none.getMessage());
            assertThrows(ConfigException.class, () -> config(STEP_DOWN, "2000"));
            return;
        }
        String wrong = SCOPES.contains("request") ? "everything" : "request";
        ConfigException refused = assertThrows(ConfigException.class, () -> config(SCOPE, wrong));
        assertTrue(refused.getMessage().contains(SCOPE), refused.getMessage());
        assertTrue(refused.getMessage().contains(wrong), refused.getMessage());
        assertTrue(refused.getMessage().contains(String.join(", ", SCOPES)), refused.getMessage());
    }

    /** Solution 2 is off by default; it cannot be on without solution 1, or in a version without it. */
    @Test
    void aLeaderStepsDownOnlyWhereItsFollowersAreHeld() {
        if (VERSION.startsWith("1.")) {
            return;
        }
        assertEquals(-1, config("broker.rack", "r").getLong(STEP_DOWN));
        if (VERSION.startsWith("2.")) {
            ConfigException never = assertThrows(ConfigException.class, () -> config(STEP_DOWN, "2000", ENABLE, "true"));
            assertTrue(never.getMessage().contains("no step-down for this version"), never.getMessage());
            return;
        }
        assertThrows(ConfigException.class, () -> config(STEP_DOWN, "0"));
        ConfigException alone = assertThrows(ConfigException.class, () -> config(STEP_DOWN, "2000"));
        assertTrue(alone.getMessage().contains(STEP_DOWN), alone.getMessage());
        assertTrue(alone.getMessage().contains(ENABLE), alone.getMessage());
        assertEquals(2_000, config(STEP_DOWN, "2000", ENABLE, "true").getLong(STEP_DOWN));
        assertEquals(500, config(STEP_DOWN, "500", ENABLE, "true").getLong(STEP_DOWN), "the wait of a fetch is not in it");
        assertThrows(ConfigException.class, () -> config("insync.relinquish.via", "zookeeper"));
        assertThrows(ConfigException.class, () -> config("insync.relinquish.isr", "first"));
    }

    /** Kafka's controllers check no config of a broker; with the agent they refuse an invalid value of its own. */
    @Test
    void aControllerRefusesInvalidValues() throws Exception {
        if (VERSION.startsWith("1.") || VERSION.startsWith("2.")) {
            return;
        }
        String invalid = assertThrows(InvocationTargetException.class, () -> update(SCOPE, "perhaps")).getCause().getMessage();
        assertTrue(invalid.contains(SCOPE) && invalid.contains("perhaps"), invalid);
        update(SCOPE, "read");
        update("leader.of.another.plugin", "perhaps");
    }

    private static void update(String name, String value) throws Exception {
        Class<?> type = Class.forName("kafka.server.ControllerConfigurationValidator");
        Object validator = type.getConstructor(KafkaConfig.class).newInstance(config("broker.rack", "r"));
        Method validate = Arrays.stream(type.getMethods())
            .filter(each -> each.getName().equals("validate") && each.getParameterCount() > 1).findFirst().orElseThrow();
        Object[] arguments = new Object[validate.getParameterCount()];
        Arrays.fill(arguments, Map.of());
        arguments[0] = new ConfigResource(ConfigResource.Type.BROKER, "1");
        arguments[1] = Map.of(name, value);
        validate.invoke(validator, arguments);
    }

    /** The alternative that KIP-501 rejects is off, and goes neither with solution 1 nor below the lag limit. */
    @Test
    void aLeaderRelinquishesWithoutSolutionOneOnlyWhereThatIsAskedFor() {
        if (VERSION.startsWith("1.")) {
            return;
        }
        assertFalse(config("broker.rack", "r").getBoolean(ONLY));
        ConfigException never = assertThrows(ConfigException.class, () -> config(ONLY, "true"));
        if (VERSION.startsWith("2.")) {
            assertTrue(never.getMessage().contains("no step-down for this version"), never.getMessage());
            return;
        }
        assertTrue(never.getMessage().contains(STEP_DOWN), never.getMessage());
        ConfigException early = assertThrows(ConfigException.class, () -> config(ONLY, "true", STEP_DOWN, "29999"));
        assertTrue(early.getMessage().contains("replica.lag.time.max.ms, which is 30000"), early.getMessage());
        ConfigException both = assertThrows(ConfigException.class,
            () -> config(ONLY, "true", STEP_DOWN, "30000", ENABLE, "true"));
        assertTrue(both.getMessage().contains(ENABLE), both.getMessage());
        assertTrue(config(ONLY, "true", STEP_DOWN, "30000").getBoolean(ONLY));
    }

    /** KAFKA-7104: no fix is on by default, and each is refused in a version without them. */
    @Test
    void logStartsAreLeftAloneUnlessAskedFor() {
        assertEquals("off", config("broker.rack", "r").getString(LOG_START));
        ConfigException wrong = assertThrows(ConfigException.class, () -> config(LOG_START, "perhaps"));
        assertTrue(wrong.getMessage().contains(LOG_START) && wrong.getMessage().contains("perhaps"), wrong.getMessage());
        for (String fix : List.of("bound", "snapshot", "both")) {
            if (Boolean.getBoolean("insync.logStart")) {
                assertEquals(fix, config(LOG_START, fix).getString(LOG_START));
            } else {
                assertThrows(ConfigException.class, () -> config(LOG_START, fix));
            }
        }
    }

    @Test
    void pausePointsAreWovenOnlyIfAskedFor() throws Exception {
        for (String method : List.of("readRecords", "processPartitionData", "updateReplicaLogReadResult", "logStartOffset")) {
            assertFalse(installed().contains(method), installed());
        }
    }

    /** Lag by messages exists from 3.6 on, and is refused together with the feature that corrects the lag by time. */
    @Test
    void lagGoesByTimeUnlessItIsSaidOtherwise() {
        assertEquals("time", config("broker.rack", "r").getString(POLICY));
        if (ZOOKEEPER) {
            ConfigException lacking = assertThrows(ConfigException.class, () -> config(POLICY, "messages:4"));
            assertTrue(lacking.getMessage().contains("no lag by messages for this version"), lacking.getMessage());
            return;
        }
        for (String wrong : List.of("messages", "messages:", "messages:0", "messages:-4", "bytes:4", "Time", "4")) {
            ConfigException refused = assertThrows(ConfigException.class, () -> config(POLICY, wrong), wrong);
            assertTrue(refused.getMessage().contains(POLICY), refused.getMessage());
            assertTrue(refused.getMessage().contains("time, or messages:N"), refused.getMessage());
        }
        assertEquals("messages:4", config(POLICY, "messages:4").getString(POLICY));
        ConfigException both = assertThrows(ConfigException.class, () -> config(POLICY, "messages:4", ENABLE, "true"));
        assertTrue(both.getMessage().contains(ENABLE), both.getMessage());
    }

    private static KafkaConfig config(String... keysAndValues) {
        Properties properties = new Properties();
        if (ZOOKEEPER) {
            properties.put("zookeeper.connect", "127.0.0.1:2181");
        } else {
            properties.put("process.roles", "broker");
            properties.put("node.id", "1");
            properties.put("controller.quorum.voters", "2@127.0.0.1:9093");
            properties.put("controller.listener.names", "CONTROLLER");
            properties.put("listeners", "PLAINTEXT://127.0.0.1:9092");
        }
        for (int i = 0; i < keysAndValues.length; i += 2) {
            properties.put(keysAndValues[i], keysAndValues[i + 1]);
        }
        return KafkaConfig.fromProps(properties);
    }

    /** Returns the agent's event of its start. Waits for it, because a separate thread writes it. */
    private static String installed() throws Exception {
        Path events = Paths.get(System.getProperty("insync.events"));
        long deadline = System.nanoTime() + 10_000_000_000L;
        while (true) {
            String all = Files.readString(events);
            if (all.endsWith("\n")) {
                return all.lines().filter(line -> line.contains("agent_installed")).reduce((a, b) -> b).orElseThrow();
            }
            assertTrue(System.nanoTime() < deadline, "no event of the agent in " + events + " after 10 s: " + all);
            Thread.sleep(10);
        }
    }
}
