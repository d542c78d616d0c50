package insync.lab;

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

/** Each jar contains our classes and its libraries, relocated, and no class that the broker may have. */
class JarContentsTest {
    private static final List<String> EVERY = List.of("META-INF/MANIFEST.MF", "META-INF/LICENSE", "META-INF/NOTICE",
        "META-INF/licenses/");
    private static final List<String> AGENT = List.of("insync/agent/", "insync/core/", "insync/broker-versions.properties",
        "insync/method-digests.properties", "insync/shaded/bytebuddy/");
    private static final List<String> LAB = List.of("insync/lab/", "insync/bridge/", "insync/shaded/gson/", "insync/shaded/py4j/");

    @Test
    void theAgentHasNoLibraryButByteBuddy() throws Exception {
        try (JarFile jar = jar("agent")) {
            containsOnly(AGENT, jar);
            assertEquals("insync.agent.AgentMain", jar.getManifest().getMainAttributes().getValue("Premain-Class"));
            assertTrue(text(jar, "META-INF/licenses/ASM").contains("INRIA"));
        }
    }

    @Test
    void ofByteBuddyItHasOnlyWhatItReaches() throws Exception {
        assertTrue(Files.size(Path.of(System.getProperty("insync.agent"))) < 2_000_000);
    }

    @Test
    void theLabHasNothingOfTheAgent() throws Exception {
        try (JarFile jar = jar("lab")) {
            containsOnly(LAB, jar);
            assertTrue(text(jar, "META-INF/licenses/Py4J").contains("Barthelemy Dagenais"));
        }
    }

    private static JarFile jar(String name) throws IOException {
        return new JarFile(System.getProperty("insync." + name));
    }

    private static void containsOnly(List<String> own, JarFile jar) throws IOException {
        List<String> others = jar.stream().filter(entry -> !entry.isDirectory()).map(entry -> entry.getName())
            .filter(name -> own.stream().noneMatch(name::startsWith) && EVERY.stream().noneMatch(name::startsWith))
            .collect(Collectors.toList());
        assertEquals(List.of(), others);
        for (String each : own) {
            assertTrue(jar.stream().anyMatch(entry -> entry.getName().startsWith(each)), "lacks " + each);
        }
        assertEquals(ofProject("LICENSE"), text(jar, "META-INF/LICENSE"));
        assertEquals(ofProject("NOTICE"), text(jar, "META-INF/NOTICE"));
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
