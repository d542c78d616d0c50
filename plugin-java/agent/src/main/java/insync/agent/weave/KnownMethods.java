package insync.agent.weave;

import insync.agent.JarTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.pool.TypePool;

/**
 * Tells whether the methods that hooks change have the instructions of a build of Kafka that the tests run. A vendor's build
 * may have the same names and types, and other code.
 *
 * <p>The table (gradle/method-digests.properties, inside the jar) has the digests of each method in each version.
 */
public final class KnownMethods {
    private static final String TABLE = "/insync/method-digests.properties";

    private KnownMethods() { }

    /** Returns the methods of hooks whose instructions are those of no known build, with their descriptors. */
    public static List<String> unknown(List<Hook> hooks) {
        return unknown(hooks, ClassFileLocator.ForClassLoader.ofSystemLoader());
    }

    /** Returns why methods that are unknown are not woven. */
    public static String refusal(List<String> unknown) {
        return "methods that differ from every known build: " + String.join(", ", unknown)
            + " (with unknown-methods=allow they are woven nevertheless)";
    }

    static List<String> unknown(List<Hook> hooks, ClassFileLocator classFiles) {
        Properties table = JarTable.read(TABLE);
        List<String> unknown = new ArrayList<>();
        read(hooks, classFiles, MethodDigests::of).forEach((method, digest) -> {
            if (!List.of(table.getProperty(method, "").split(",")).contains(digest)) {
                unknown.add(method);
            }
        });
        return unknown;
    }

    /**
     * Returns what a reader finds in the method of each hook in the Kafka of the class path, by class, method and descriptor.
     *
     * @param reader gets a class file, and the names and descriptors of the methods to read
     */
    public static <T> Map<String, T> read(List<Hook> hooks, BiFunction<byte[], Set<String>, Map<String, T>> reader) {
        return read(hooks, ClassFileLocator.ForClassLoader.ofSystemLoader(), reader);
    }

    private static <T> Map<String, T> read(List<Hook> hooks, ClassFileLocator classFiles,
                                           BiFunction<byte[], Set<String>, Map<String, T>> reader) {
        TypePool pool = TypePool.Default.WithLazyResolution.of(classFiles);
        Map<String, Set<String>> methods = new TreeMap<>();
        for (Hook hook : hooks) {
            TypePool.Resolution type = pool.describe(hook.typeName);
            if (type.isResolved()) {
                methods.computeIfAbsent(hook.typeName, name -> new TreeSet<>()).addAll(methods(type.resolve(), hook));
            }
        }
        Map<String, T> found = new TreeMap<>();
        methods.forEach((type, names) -> reader.apply(read(classFiles, type), names)
            .forEach((method, value) -> found.put(type + "." + method, value)));
        return found;
    }

    private static List<String> methods(TypeDescription type, Hook hook) {
        List<String> names = new ArrayList<>();
        if (hook.methods.matches(new MethodDescription.Latent.TypeInitializer(type))) {
            names.add("<clinit>()V");
        }
        for (MethodDescription method : type.getDeclaredMethods().filter(hook.methods)) {
            names.add(method.getInternalName() + method.getDescriptor());
        }
        return names;
    }

    static byte[] read(ClassFileLocator locator, String name) {
        try {
            return locator.locate(name).resolve();
        } catch (IOException unreadable) {
            throw new IllegalStateException("cannot read " + name, unreadable);
        }
    }
}
