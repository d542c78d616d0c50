package insync.agent.weave;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import net.bytebuddy.dynamic.ClassFileLocator;

/** Finds the class files of the class path, and records what it found: on that depends what the checks and the weaving make of them. */
final class RecordingLocator implements ClassFileLocator {
    private final ClassFileLocator files = ClassFileLocator.ForClassLoader.ofSystemLoader();
    private final Map<String, Long> digests = new TreeMap<>();
    private final Map<String, byte[]> kept = new HashMap<>();

    /** @param keep the classes whose bytes it keeps */
    RecordingLocator(Iterable<String> keep) {
        keep.forEach(name -> kept.put(name, null));
    }

    @Override
    public synchronized Resolution locate(String name) throws IOException {
        Resolution found = files.locate(name);
        if (!ClassDigests.isOfJvmOrAgent(name)) {
            digests.put(name, found.isResolved() ? ClassDigests.of(found.resolve()) : ClassDigests.ABSENT);
        }
        if (found.isResolved() && kept.containsKey(name)) {
            kept.put(name, found.resolve());
        }
        return found;
    }

    /** Returns the digest of each class file that it was asked for, by class name. */
    synchronized Map<String, Long> digests() {
        return new TreeMap<>(digests);
    }

    /** Returns the class file of a class to keep; null if it was not found. */
    synchronized byte[] bytes(String name) {
        return kept.get(name);
    }

    @Override
    public void close() {
        // The system class loader stays.
    }
}
