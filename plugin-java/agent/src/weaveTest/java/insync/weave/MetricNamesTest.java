package insync.weave;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import insync.agent.broker.BrokerLifecycle;
import insync.agent.metrics.BrokerMetrics;
import insync.core.Insync;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

/**
 * In each version of Kafka, its own JMX reporter exposes exactly the metrics that docs/operate/metrics.md lists for that version.
 */
class MetricNamesTest {
    private static final Pattern ROW = Pattern.compile("\\| `(kafka[^`]+)` \\| (\\w+) \\| ([^|]+) \\| (.*) \\|");
    private static final int[] VERSION = numbers(System.getProperty("insync.kafka"));
    private static final boolean STEPS_DOWN = Boolean.getBoolean("insync.stepDown");

    private final MBeanServer jmx = ManagementFactory.getPlatformMBeanServer();

    @Test
    void kafkasJmxReporterHasTheMetricsOfThePage() throws Exception {
        assertEquals(Set.of(), found(), "before a broker starts");
        BrokerMetrics.register(BrokerLifecycle.registry(), Insync.current());
        if (STEPS_DOWN) {
            BrokerMetrics.registerController(BrokerLifecycle.registry(), Insync.current());
        }
        assertEquals(expected(), found());
        for (String name : found()) {
            // A gauge has a value, a meter and a histogram have a count: a supplier that fails would throw here.
            boolean gauge = jmx.getMBeanInfo(new ObjectName(name)).getAttributes().length == 1;
            assertTrue(jmx.getAttribute(new ObjectName(name), gauge ? "Value" : "Count") != null, name);
        }
    }

    private Set<String> found() throws Exception {
        TreeSet<String> names = new TreeSet<>();
        for (String type : new String[] {"InsyncAgent", "PendingReads", "StepDown", "LogStartOffset"}) {
            jmx.queryNames(new ObjectName("kafka.*:type=" + type + ",*"), null)
                .forEach(name -> names.add(name.getCanonicalName()));
        }
        return names;
    }

    /** Returns the names in the page's table that this version has, with each value of their tag. */
    private static Set<String> expected() throws Exception {
        TreeSet<String> names = new TreeSet<>();
        Matcher row = ROW.matcher(page());
        while (row.find()) {
            if (has(row.group(3))) {
                for (String name : expand(row.group(1), row.group(4))) {
                    names.add(new ObjectName(name).getCanonicalName());
                }
            }
        }
        return names;
    }

    private static Set<String> expand(String name, String says) {
        Matcher tag = Pattern.compile(",(\\w+)=([A-Z]+)$").matcher(name);
        if (!tag.find()) {
            return Set.of(name);
        }
        String values = says.substring(says.indexOf(tag.group(2) + ": ") + tag.group(2).length() + 2);
        return Arrays.stream(values.split(", ")).map(value -> value.replace("`", ""))
            .map(value -> name.substring(0, tag.start()) + "," + tag.group(1) + "=" + value).collect(Collectors.toSet());
    }

    /** Returns whether a cell such as "1.1, from 3.6" includes this version. */
    private static boolean has(String cell) {
        return Arrays.stream(cell.split(", ")).anyMatch(part -> part.equals("all")
            || part.startsWith("from ") && Arrays.compare(VERSION, numbers(part.substring(5))) >= 0
            || Arrays.equals(VERSION, numbers(part)));
    }

    private static int[] numbers(String version) {
        return Arrays.stream(version.split("[.]")).limit(2)
            .mapToInt(part -> part.matches("\\d+") ? Integer.parseInt(part) : -1).toArray();
    }

    private static String page() throws IOException {
        return Files.readString(Paths.get(System.getProperty("insync.docs"), "operate", "metrics.md"));
    }
}
