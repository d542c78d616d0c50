package insync.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import insync.core.Insync;
import insync.core.events.EventLog;
import insync.lab.events.EventFileLog;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** A broker with an events topic on a cluster that is down, and one without a topic: what each starts and waits for. */
@EnabledIfSystemProperty(named = "insync.jvm", matches = "woven")
class EventsTopicTest {
    private static final String THREAD = "insync-events-publish";
    private static final String PRODUCER = "kafka-producer-network-thread | insync-events-";

    @TempDir
    Path folder;

    @BeforeEach
    void begin() {
        Insync.install(new Insync(EventFileLog.withoutFile()));
    }

    @AfterEach
    void noFailureOfOurs() {
        assertEquals("", Insync.current().failures.last());
        Insync.install(new Insync(new EventLog()));
    }

    @Test
    void withoutTheTopicNothingIsStarted() throws Exception {
        long before = threads(THREAD) + threads(PRODUCER);
        try (Leader leader = new Leader(folder, Map.of())) {
            leader.appendUpTo(10);
            assertEquals(before, threads(THREAD) + threads(PRODUCER));
        }
    }

    /** On a closed port, as with a cluster that is down, events are dropped and nothing else happens. */
    @Test
    void aTopicThatCannotBeReachedCostsDropsOnly() throws Exception {
        long before = threads(THREAD);
        Map<String, String> settings = Map.of("insync.events.topic", "insync-events",
            "insync.events.bootstrap", "127.0.0.1:1");
        try (Leader leader = new Leader(folder, settings)) {
            assertEquals(before + 1, threads(THREAD));
            EventLog events = Insync.current().events;
            assertTimeout(Duration.ofSeconds(20), () -> {
                for (int i = 0; i < 20_000; i++) {
                    events.emit("test", EventLog.fields("i", i));
                }
            });
            assertTrue(events.published().dropped() >= 9_000, "dropped: " + events.published().dropped());
            assertEquals(0, events.published().written());
            leader.appendUpTo(10);
        }
    }

    private static long threads(String name) {
        return Thread.getAllStackTraces().keySet().stream().filter(each -> each.getName().startsWith(name)).count();
    }
}
