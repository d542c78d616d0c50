package insync.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

    @Test
    void hasTheLicencesOfThisProjectAndOfItsLibraries() throws Exception {
        try (JarFile jar = new JarFile(System.getProperty("insync.jar"))) {
            assertEquals(ofProject("LICENSE"), text(jar, "META-INF/LICENSE"));
            assertEquals(ofProject("NOTICE"), text(jar, "META-INF/NOTICE"));
            assertTrue(text(jar, "META-INF/licenses/Py4J").contains("Barthelemy Dagenais"));
            assertTrue(text(jar, "META-INF/licenses/ASM").contains("INRIA"));
        }
    }

    @Test
    void theNoticeNamesEachLibraryInsideWithItsVersionAndNoOther() throws Exception {
        TreeSet<String> named = new TreeSet<>();
        Matcher entry = Pattern.compile("(?m)^- (.+?) \\(https").matcher(ofProject("NOTICE"));
        while (entry.find()) {
            String[] words = entry.group(1).toLowerCase().split(" (?=\\S+$)");
            named.add(words[0].replace(' ', '-') + " " + words[1]);
        }
        assertEquals(new TreeSet<>(Arrays.asList(System.getProperty("insync.libraries").split(","))), named);
    }

    private static String ofProject(String name) throws IOException {
        return Files.readString(Path.of(System.getProperty("insync.root"), name));
    }

    private static String text(JarFile jar, String name) throws IOException {
        return new String(jar.getInputStream(jar.getEntry(name)).readAllBytes(), StandardCharsets.UTF_8);
    }
}
