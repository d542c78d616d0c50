package insync.agent.weave;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Replaces the broker's bytes with the woven bytes when the JVM first loads each class. */
final class WovenClasses implements ClassFileTransformer {
    private final Map<String, byte[]> woven;
    private final Set<String> given = ConcurrentHashMap.newKeySet();

    /** @param woven by class name with dots */
    WovenClasses(Map<String, byte[]> woven) {
        this.woven = woven;
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
        if (bytes != null) {
            given.add(name);
        }
        return bytes;
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
            if (!given.contains(name)) {
                problems.add(name + " was loaded before the agent could weave it");
            }
        }
        return problems;
    }
}
