package insync.mutants;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import net.bytebuddy.dynamic.ClassFileLocator;

/** Writes a copy of the agent's jar that is one of the {@link Mutants}: {@code AGENT_JAR NAME OUT}, or lists their names. */
public final class WriteMutant {
    private static final int BAD_INPUT = 2;
    private static final Change ANNOUNCE = new Change("insync.agent.AgentMain", "premain", Announce.class);

    private WriteMutant() { }

    /** Exits with 2 and one line if a mutant does not exist, or does not fit the agent. */
    public static void main(String... arguments) throws IOException {
        if (arguments.length == 0) {
            Mutants.names().forEach(System.out::println);
            return;
        }
        List<Change> changes = Mutants.changesOf(arguments[1]);
        if (changes == null) {
            end("mutant " + arguments[1] + ": unknown, expected one of " + Mutants.names());
            return;
        }
        try {
            write(Path.of(arguments[0]), arguments[1], changes, Path.of(arguments[2]));
        } catch (MissingMethodException missing) {
            end("mutant " + arguments[1] + " does not fit the agent: " + missing.getMessage());
        }
    }

    private static void write(Path agent, String name, List<Change> changes, Path out) throws IOException {
        List<Change> all = new ArrayList<>(changes);
        all.add(ANNOUNCE);
        try (JarFile jar = new JarFile(agent.toFile())) {
            Map<String, byte[]> changed = changed(jar, name, all);
            try (JarOutputStream mutant = new JarOutputStream(Files.newOutputStream(out))) {
                for (JarEntry entry : (Iterable<JarEntry>) jar.stream()::iterator) {
                    mutant.putNextEntry(new JarEntry(entry.getName()));
                    byte[] bytes = changed.get(entry.getName());
                    mutant.write(bytes == null ? jar.getInputStream(entry).readAllBytes() : bytes);
                }
            }
        }
    }

    /** Returns the changed class files by their entries; a class may have several changes. */
    private static Map<String, byte[]> changed(JarFile jar, String name, List<Change> changes) throws IOException {
        Map<String, byte[]> changed = new HashMap<>();
        for (Change change : changes) {
            Map<String, byte[]> byType = new HashMap<>();
            changed.forEach((entry, bytes) ->
                byType.put(entry.replace('/', '.').substring(0, entry.length() - ".class".length()), bytes));
            ClassFileLocator locator = new ClassFileLocator.Compound(
                new ClassFileLocator.Simple(byType), new ClassFileLocator.ForJarFile(jar),
                ClassFileLocator.ForClassLoader.ofPlatformLoader());
            changed.put(change.entry(), change.in(locator, name));
        }
        return changed;
    }

    private static void end(String problem) {
        System.err.println(problem);
        System.exit(BAD_INPUT);
    }
}
