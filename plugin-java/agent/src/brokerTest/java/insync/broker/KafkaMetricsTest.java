package insync.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.yammer.metrics.core.Gauge;
import com.yammer.metrics.core.Histogram;
import com.yammer.metrics.core.Meter;
import com.yammer.metrics.core.Metric;
import com.yammer.metrics.core.MetricsRegistry;
import insync.agent.Features;
import insync.core.Insync;
import insync.core.events.EventLog;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The plugin's metrics in Kafka's own registry: their names, and that holds move them. */
class KafkaMetricsTest {
    private static final boolean WOVEN = "woven".equals(System.getProperty("insync.jvm"));
    private static final String PENDING = "kafka.server:type=PendingReads,name=";

    @TempDir
    Path folder;
    private final MetricsRegistry registry = KafkaParts.registry();
    private final List<Errors> answers = new ArrayList<>();

    @BeforeEach
    void countFromZero() {
        if (WOVEN) {
            Insync.install(new Insync(new EventLog()));
        }
    }

    @AfterEach
    void noFailureOfOurs() {
        if (WOVEN) {
            assertEquals("", Insync.current().failures.last());
            Insync.install(new Insync(new EventLog()));
        }
    }

    private Map<String, Metric> all() {
        return registry.allMetrics().entrySet().stream()
            .collect(Collectors.toMap(each -> each.getKey().getMBeanName(), Map.Entry::getValue));
    }

    private Set<String> ours() {
        TreeSet<String> names = new TreeSet<>(all().keySet());
        names.removeIf(name -> !name.startsWith(PENDING) && !name.contains("type=InsyncAgent")
            && !name.contains("type=StepDown"));
        return names;
    }

    private Object value(String name) {
        return ((Gauge<?>) all().get(name)).value();
    }

    private long count(String name) {
        return ((Meter) all().get(name)).count();
    }

    /**
     * Stalls a read for longer than the lag limit, and asks Kafka's check during the stall. Kafka catches what a read throws, so
     * the values are compared afterwards.
     */
    private void hold(Leader leader) throws Exception {
        List<Object> during = new ArrayList<>();
        leader.appendUpTo(10);
        leader.fetch(10, answers);
        leader.duringRead(() -> {
            leader.time.sleep(Leader.LAG_MS + 5_000);
            during.add(leader.followerIsOutOfSync());
            Insync.current().eachSecond();
            during.add(value(PENDING + "HeldFollowers"));
        });
        leader.appendUpTo(20);
        leader.completeDelayedFetches();
        leader.duringRead(() -> { });
        assertEquals(List.of(false, 1), during);
    }

    @Test
    void withoutTheAgentThereAreNone() throws Exception {
        try (Leader leader = new Leader(folder, false)) {
            assertTrue(leader.partition().isLeader());
            assertEquals(WOVEN, !ours().isEmpty());
        }
    }

    @Test
    void theStateSaysWhatIsOn() throws Exception {
        if (!WOVEN) {
            return;
        }
        String agent = "kafka.server:type=InsyncAgent,name=";
        for (boolean enable : new boolean[] {true, false}) {
            try (Leader leader = new Leader(folder.resolve("enable-" + enable), enable)) {
                assertTrue(leader.partition().isLeader());
                assertEquals(enable ? 1 : 0, value(agent + "Enabled"));
                assertEquals(enable ? "read" : "off", value(agent + "Scope"));
                assertEquals(0, value(agent + "StepDownEnabled"));
                assertEquals(0, value(agent + "Disabled"));
                assertEquals(0L, value(agent + "Errors"));
                assertTrue(((String) value(agent + "Adapter")).matches("v\\d_\\d+"));
                assertTrue(((String) value(agent + "Version")).matches("\\d+[.]\\d+.*"));
            }
        }
    }

    @Test
    void itSaysWhetherTheBrokerAsksToBeFencedAndHowOftenItWas() throws Exception {
        if (!WOVEN) {
            return;
        }
        String stepDown = "kafka.server:type=StepDown,name=";
        try (Leader leader = new Leader(folder, false)) {
            assertTrue(leader.partition().isLeader());
            assertEquals(Features.current().supportsStepDown(), all().containsKey(stepDown + "AsksToBeFenced"));
            if (Features.current().supportsStepDown()) {
                assertEquals(0, value(stepDown + "AsksToBeFenced"));
                Insync.current().stepDowns.asksToBeFenced = true;
                Insync.current().stepDowns.fenced.increment();
                Insync.current().eachSecond();
                assertEquals(1, value(stepDown + "AsksToBeFenced"));
                assertEquals(1, count(stepDown + "FencedPerSec"));
            }
        }
    }

    @Test
    void aHoldIsCountedByItsSiteAndHasALength() throws Exception {
        if (!WOVEN) {
            return;
        }
        try (Leader leader = new Leader(folder, true)) {
            hold(leader);
            Insync.current().eachSecond();
            assertEquals(1, count(PENDING + "HoldsGrantedPerSec"));
            assertEquals(1, count(PENDING + "HoldsGrantedPerSec,site=read"));
            assertEquals(0, count(PENDING + "HoldsGrantedPerSec,site=none"));
            assertEquals(1, ((Histogram) all().get(PENDING + "HoldTimeMs")).count());
        }
    }

    @Test
    void kafkasFilterOfJmxNamesAppliesToThem() throws Exception {
        if (!WOVEN) {
            return;
        }
        MBeanServer jmx = ManagementFactory.getPlatformMBeanServer();
        ObjectName pattern = new ObjectName(PENDING + "*,*");
        try (Leader leader = new Leader(folder, true)) {
            assertTrue(leader.partition().isLeader());
            assertFalse(jmx.queryNames(pattern, null).isEmpty());
            KafkaParts.configureJmx(Map.of("metrics.jmx.exclude", "kafka.server:type=PendingReads.*"));
            assertEquals(Set.of(), jmx.queryNames(pattern, null));
        } finally {
            KafkaParts.configureJmx(Map.of());
        }
        assertFalse(jmx.queryNames(pattern, null).isEmpty());
    }

    /** In a JVM with one broker after the other, as Kafka's own tests start them, each has meters that begin at its counts. */
    @Test
    void aBrokerThatStartsAgainReplacesTheMetrics() throws Exception {
        if (!WOVEN) {
            return;
        }
        try (Leader leader = new Leader(folder.resolve("first"), true)) {
            hold(leader);
            Insync.current().eachSecond();
            assertEquals(1, count(PENDING + "HoldsGrantedPerSec"));
        }
        Insync.install(new Insync(new EventLog()));
        try (Leader leader = new Leader(folder.resolve("second"), true)) {
            assertTrue(leader.partition().isLeader());
            Insync.current().eachSecond();
            assertEquals(0, count(PENDING + "HoldsGrantedPerSec"));
        }
    }
}
