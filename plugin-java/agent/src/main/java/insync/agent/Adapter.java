package insync.agent;

import insync.agent.broker.Platform;
import insync.agent.weave.Hook;
import insync.agent.weave.TypeHooks;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** Provides everything that depends on the broker's version: its hooks, and the code that they pass to the core. */
public interface Adapter {

    /** Returns the adapter's row in broker-versions.properties: the lowest version that it supports, such as "v4_2". */
    String name();

    /** Returns the hooks that are woven at the start. */
    List<TypeHooks> types();

    /** Returns hooks that are verified at the start but woven only when a broker's settings ask for them. */
    default List<Hook> hooksOnDemand() {
        return List.of();
    }

    /**
     * Returns our classes, except advices, that refer to the broker's classes; the weave check verifies each member
     * that they or their nested classes use.
     */
    List<Class<?>> ownClasses();

    /** Returns the version's code that every broker uses at run time. */
    Platform platform();

    /** Returns the hooks woven at the start. */
    default List<Hook> hooksAtStart() {
        List<Hook> all = new ArrayList<>();
        types().forEach(type -> all.addAll(type.hooks()));
        return all;
    }

    /** Returns the hooks woven at the start and those on demand. */
    default List<Hook> allHooks() {
        List<Hook> all = hooksAtStart();
        all.addAll(hooksOnDemand());
        return all;
    }

    /** Returns "Class.method" of every method woven at the start, sorted, and each class that only gets members. */
    default List<String> wovenMethods() {
        TreeSet<String> names = new TreeSet<>();
        for (TypeHooks type : types()) {
            type.hooks().forEach(hook -> names.add(hook.toString()));
            if (type.hooks().isEmpty()) {
                names.add(type.typeName() + ".<members>");
            }
        }
        return List.copyOf(names);
    }
}
