package insync.agent.weave;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.IllegalClassFormatException;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The JVM's side of an agent, of which a test decides what is loaded, and what it refuses. */
final class FakeInstrumentation {
    /** The classes that the JVM says are loaded. */
    Class<?>[] loaded = {};
    /** Class files that the JVM loads as soon as there is a transformer, by class name. */
    Map<String, byte[]> loads = Map.of();
    final List<ClassFileTransformer> transformers = new ArrayList<>();
    /** What the transformer made of the loaded class files. */
    final Map<String, byte[]> given = new HashMap<>();

    Instrumentation proxy() {
        return (Instrumentation) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {Instrumentation.class},
            (proxy, method, arguments) -> call(method, arguments));
    }

    private Object call(Method method, Object[] arguments) throws Throwable {
        switch (method.getName()) {
            case "getAllLoadedClasses":
                return loaded;
            case "addTransformer":
                transformers.add((ClassFileTransformer) arguments[0]);
                load((ClassFileTransformer) arguments[0]);
                return null;
            case "removeTransformer":
                return transformers.contains(arguments[0]);
            default:
                throw new AssertionError("not expected: " + method);
        }
    }

    private void load(ClassFileTransformer transformer) throws IllegalClassFormatException {
        for (Map.Entry<String, byte[]> each : loads.entrySet()) {
            given.put(each.getKey(), transformer.transform(ClassLoader.getSystemClassLoader(),
                each.getKey().replace('.', '/'), null, null, each.getValue()));
        }
    }
}
