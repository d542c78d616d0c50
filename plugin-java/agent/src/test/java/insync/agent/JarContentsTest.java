package insync.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The agent's jar contains our classes and our three libraries, relocated, and no class that the broker may have. */
class JarContentsTest {
    private static final List<String> MAY_HOLD = List.of(
        "insync/agent/", "insync/bridge/", "insync/core/", "insync/broker-versions.properties",
        "insync/method-digests.properties",
        "insync/shaded/bytebuddy/", "insync/shaded/gson/", "insync/shaded/py4j/",
        "META-INF/MANIFEST.MF", "META-INF/LICENSE", "META-INF/NOTICE", "META-INF/licenses/");

    @Test
    void containsOnlyAllowedFiles() throws Exception {
        try (JarFile jar = new JarFile(System.getProperty("insync.jar"))) {
            List<String> others = jar.stream().filter(entry -> !entry.isDirectory()).map(entry -> entry.getName())
                .filter(name -> MAY_HOLD.stream().noneMatch(name::startsWith)).collect(Collectors.toList());
            assertEquals(List.of(), others);
            for (String each : MAY_HOLD.subList(0, 8)) {
                assertTrue(jar.stream().anyMatch(entry -> entry.getName().startsWith(each)), "lacks " + each);
            }
            assertEquals("insync.agent.AgentMain", jar.getManifest().getMainAttributes().getValue("Premain-Class"));
        }
    }
}
