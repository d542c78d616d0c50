package insync.agent.weave;

import java.io.IOException;
import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import net.bytebuddy.dynamic.ClassFileLocator;

/** Replaces the broker's bytes with the woven bytes when the JVM first loads each class. */
final class WovenClasses implements ClassFileTransformer {
    private static final String DONE = "";

    private final Map<String, byte[]> woven;
    private final ClassFileLocator classFiles;
    private final BiFunction<String, byte[], byte[]> weave;
    /** What became of each class that the JVM offered: {@link #DONE}, or why it could not be woven. */
    private final Map<String, String> offered = new ConcurrentHashMap<>();

    /**
     * @param woven by class name with dots
     * @param classFiles the class files of which {@code woven} were made
     * @param weave weaves a class, by its name, that an earlier agent has changed
     */
    WovenClasses(Map<String, byte[]> woven, ClassFileLocator classFiles, BiFunction<String, byte[], byte[]> weave) {
        this.woven = woven;
        this.classFiles = classFiles;
        this.weave = weave;
    }

    @Override
    public byte[] transform(ClassLoader loader, String internalName, Class<?> redefined,
                            ProtectionDomain domain, byte[] original) {
        // Only on the first load: a retransformation, for example by a profiler, already starts from our bytes.
        if (redefined != null || loader != ClassLoader.getSystemClassLoader() || internalName == null) {
            return null;
        }
        String name = internalName.replace('/', '.');
        byte[] bytes = woven.get(name);
        if (bytes == null) {
            return null;
        }
        try {
            boolean unchanged = Arrays.equals(original, classFiles.locate(name).resolve());
            byte[] result = unchanged ? bytes : weave.apply(name, original);
            offered.put(name, DONE);
            return result;
        } catch (IOException | RuntimeException | LinkageError broken) {
            // The JVM ignores what a transformer throws.
            offered.put(name, broken.toString());
            return null;
        }
    }

    /**
     * Loads and links every woven class now.
     *
     * @return the classes that could not be woven, as text
     */
    List<String> loadAll() {
        List<String> problems = new ArrayList<>();
        for (String name : woven.keySet()) {
            try {
                // Listing its methods makes the JVM link the class, which verifies the woven bytecode.
                Class.forName(name, false, ClassLoader.getSystemClassLoader()).getDeclaredMethods();
            } catch (ClassNotFoundException | LinkageError refused) {
                problems.add("the JVM refused the woven " + name + ": " + refused);
            }
            String outcome = offered.getOrDefault(name, "it was loaded before the agent could weave it");
            if (!outcome.equals(DONE)) {
                problems.add(name + ": " + outcome);
            }
        }
        return problems;
    }
}
