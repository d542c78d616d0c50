package insync.agent.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.yammer.metrics.core.Meter;
import com.yammer.metrics.core.MetricName;
import com.yammer.metrics.core.MetricsRegistry;
import insync.core.log.BrokerLog.Name;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The documents have the metrics and loggers of the code. */
class MetricsTableTest {
    private static final Path DOCS = Paths.get(System.getProperty("insync.docs"));

    @Test
    void thePageHasTheTable() throws Exception {
        String page = Files.readString(DOCS.resolve("operate/metrics.md"));
        assertEquals(MetricsTable.in(page), page, "`gradle metricsPage` writes the table");
    }

    @Test
    void thePageOfLogsHasEveryLogger() throws Exception {
        String page = Files.readString(DOCS.resolve("operate/logs.md"));
        for (Name name : Name.values()) {
            assertTrue(page.contains("| `" + name.logger() + "` |"), name.logger());
        }
    }

    @Test
    void noTwoMetricsHaveOneName() {
        Set<MetricName> names = new HashSet<>();
        for (AgentMetric metric : AgentMetric.values()) {
            metric.tag.words.forEach(word -> assertTrue(names.add(metric.name(word)), metric.name()));
        }
    }

    /** No event is counted twice or missed, however often the meter is updated. */
    @Test
    void aMeterFollowsItsCounter() {
        MetricsRegistry registry = new MetricsRegistry();
        Meter meter = BrokerMetrics.meter(registry, AgentMetric.HOLDS.name(""));
        BrokerMetrics.follow(meter, 3);
        BrokerMetrics.follow(meter, 3);
        assertEquals(3, meter.count());
        BrokerMetrics.follow(meter, 7);
        assertEquals(7, meter.count());
        registry.shutdown();
    }
}
