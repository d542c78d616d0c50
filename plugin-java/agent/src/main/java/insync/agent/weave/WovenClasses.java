package insync.agent.weave;

import insync.agent.AgentException;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;

/** Replaces the broker's bytes with the woven bytes when the JVM first loads each class. */
final class WovenClasses implements ClassFileTransformer {
    private static final String DONE = "";

    private final Map<String, byte[]> woven;
    private final Map<String, byte[]> originals;
    private final BiFunction<String, byte[], byte[]> weave;
    /** What became of each class that the JVM offered: {@link #DONE}, or why it could not be woven. */
    private final Map<String, String> offered = new ConcurrentHashMap<>();

    /**
     * @param woven by class name with dots
     * @param originals the class files of which {@code woven} were made, by class name
     * @param weave weaves a class, by its name, that an earlier agent has changed
     */
    WovenClasses(Map<String, byte[]> woven, Map<String, byte[]> originals, BiFunction<String, byte[], byte[]> weave) {
        this.woven = woven;
        this.originals = originals;
        this.weave = weave;
    }

    /**
     * Passes all woven classes to the JVM, which loads and links each.
     *
     * @return the reasons why the broker is as it was, as text; empty if everything is woven
     * @throws AgentException if some classes are woven and others are not: the JVM must end, because it cannot undo that
     */
    List<String> install(Instrumentation instrumentation) throws AgentException {
        List<String> problems = loaded(instrumentation);
        if (problems.isEmpty()) {
            instrumentation.addTransformer(this);
            List<String> failed = loadAll();
            // All woven classes are loaded now, so the transformer is no longer needed.
            instrumentation.removeTransformer(this);
            if (!failed.isEmpty()) {
                throw new AgentException("woven in part, so the broker must not run: " + String.join("; ", failed));
            }
        }
        return problems;
    }

    /** Returns the classes that another agent has loaded: they have no hooks, and cannot get fields any more. */
    private List<String> loaded(Instrumentation instrumentation) {
        List<String> problems = new ArrayList<>();
        for (Class<?> each : instrumentation.getAllLoadedClasses()) {
            if (each.getClassLoader() == ClassLoader.getSystemClassLoader() && woven.containsKey(each.getName())) {
                problems.add(each.getName() + " was loaded before this agent started; expected this -javaagent first");
            }
        }
        Collections.sort(problems);
        return problems;
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
            boolean unchanged = Arrays.equals(original, originals.get(name));
            byte[] result = unchanged ? bytes : weave.apply(name, original);
            offered.put(name, DONE);
            return result;
        } catch (RuntimeException | LinkageError broken) {
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
    private List<String> loadAll() {
        List<String> problems = new ArrayList<>();
        for (String name : woven.keySet()) {
            try {
                // Listing its constructors makes the JVM link the class, which verifies the woven bytecode.
                Class.forName(name, false, ClassLoader.getSystemClassLoader()).getDeclaredConstructors();
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
