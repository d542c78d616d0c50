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

/** Holds all woven classes of a broker, and what the checks concluded; gives the JVM the classes. */
public final class WovenBroker {
    private static final String DONE = "";

    /** The names of the woven methods, as in events. */
    public final List<String> methods;
    /** The woven methods that no known build has. */
    public final List<String> unknown;
    /** The class files of which the woven ones were made, by class name. */
    public final Map<String, byte[]> originals;
    /** The woven class files, by class name. */
    public final Map<String, byte[]> woven;

    public WovenBroker(List<String> methods, List<String> unknown, Map<String, byte[]> originals, Map<String, byte[]> woven) {
        this.methods = methods;
        this.unknown = unknown;
        this.originals = originals;
        this.woven = woven;
    }

    /**
     * Gives the JVM the woven classes, which loads and links each. One whose class file another agent has changed is woven again, which
     * loads ByteBuddy.
     *
     * @param weave weaves the class of a name from its present class file
     * @return the reasons why the broker is as it was, as text; empty if everything is woven
     * @throws AgentException if some classes are woven and others are not: the JVM must end, because it cannot undo that
     */
    public List<String> install(BiFunction<String, byte[], byte[]> weave, Instrumentation instrumentation) throws AgentException {
        List<String> problems = loaded(instrumentation);
        if (problems.isEmpty()) {
            FirstLoads offered = new FirstLoads(weave);
            instrumentation.addTransformer(offered);
            List<String> failed = loadAll(offered.outcomes);
            // All woven classes are loaded now, so the transformer is no longer needed.
            instrumentation.removeTransformer(offered);
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

    /**
     * Loads and links every woven class now.
     *
     * @return the classes that could not be woven, as text
     */
    private List<String> loadAll(Map<String, String> outcomes) {
        List<String> problems = new ArrayList<>();
        for (String name : woven.keySet()) {
            try {
                // Listing its constructors makes the JVM link the class, which verifies the woven bytecode.
                Class.forName(name, false, ClassLoader.getSystemClassLoader()).getDeclaredConstructors();
            } catch (ClassNotFoundException | LinkageError refused) {
                problems.add("the JVM refused the woven " + name + ": " + refused);
            }
            String outcome = outcomes.getOrDefault(name, "it was loaded before the agent could weave it");
            if (!outcome.equals(DONE)) {
                problems.add(name + ": " + outcome);
            }
        }
        return problems;
    }

    /** Replaces the broker's bytes with the woven bytes when the JVM first loads each class. */
    private final class FirstLoads implements ClassFileTransformer {
        private final BiFunction<String, byte[], byte[]> weave;
        /** What became of each class that the JVM offered: {@link #DONE}, or why it could not be woven. */
        private final Map<String, String> outcomes = new ConcurrentHashMap<>();

        FirstLoads(BiFunction<String, byte[], byte[]> weave) {
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
                boolean unchanged = Arrays.equals(original, originals.get(name));
                byte[] result = unchanged ? bytes : weave.apply(name, original);
                outcomes.put(name, DONE);
                return result;
            } catch (RuntimeException | LinkageError broken) {
                // The JVM ignores what a transformer throws.
                outcomes.put(name, broken.toString());
                return null;
            }
        }
    }
}
