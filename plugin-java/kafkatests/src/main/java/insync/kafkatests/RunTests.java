package insync.kafkatests;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectUniqueId;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs test classes in this JVM, one after the other, and writes a file of results per class. A class whose file is complete
 * need not run again if a later one ends the JVM.
 */
public final class RunTests {
    private static final String AGENT = "insync.core.Insync";

    private RunTests() { }

    /**
     * Takes a plan and a folder. A line of the plan has the name of a class and, if only some of its tests are to run, the
     * unique ids of these, separated by tabs. The results of a class are in FOLDER/CLASS.jsonl.
     */
    public static void main(String[] arguments) throws IOException {
        Path folder = Paths.get(arguments[1]);
        for (String line : Files.readAllLines(Paths.get(arguments[0]))) {
            List<String> words = List.of(line.split("\t"));
            run(words.get(0), words.subList(1, words.size()), folder);
        }
        // Some of Kafka's tests leave threads behind.
        System.exit(0);
    }

    private static void run(String name, List<String> tests, Path folder) throws IOException {
        AgentFigures agent = hasAgent() ? AgentFigures.now() : null;
        long began = System.nanoTime();
        long cpu = cpuNanos();
        try (ResultFile file = new ResultFile(folder, name)) {
            LauncherFactory.create().execute(request(name, tests), new Recorder(file));
            file.end(System.nanoTime() - began, cpuNanos() - cpu, agent == null ? null : agent.since());
        }
    }

    private static LauncherDiscoveryRequest request(String name, List<String> tests) {
        List<DiscoverySelector> selected = tests.isEmpty() ? List.of(selectClass(name))
            : tests.stream().map(id -> (DiscoverySelector) selectUniqueId(id)).collect(Collectors.toList());
        return LauncherDiscoveryRequestBuilder.request().selectors(selected).build();
    }

    private static boolean hasAgent() {
        try {
            Class.forName(AGENT);
            return true;
        } catch (ClassNotFoundException none) {
            return false;
        }
    }

    private static long cpuNanos() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }
}
