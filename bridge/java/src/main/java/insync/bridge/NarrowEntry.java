package insync.bridge;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The methods that a gateway offers: those of one interface, on one object. Does not use py4j. */
final class NarrowEntry {
    private final Object target;
    private final Map<String, Method> methods = new TreeMap<>();

    /** @param api an interface without overloaded methods, which target implements */
    <T> NarrowEntry(Class<T> api, T target) {
        this.target = target;
        for (Method method : api.getMethods()) {
            methods.put(method.getName(), method);
        }
    }

    Object target() {
        return target;
    }

    /** Returns the method with a name, or null if the interface has none. */
    Method method(String name) {
        return methods.get(name);
    }

    Set<String> methods() {
        return methods.keySet();
    }
}
