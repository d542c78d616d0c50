package insync.agent;

import insync.agent.weave.Hook;
import java.util.List;
import java.util.TreeSet;

/** Everything that depends on the broker's version: its hooks, and what they hand to the core. */
public interface Adapter {

    /** Also its row in broker-versions.properties: the lowest version it fits, such as "v4_2". */
    String name();

    List<Hook> hooks();

    /** Hooks that are proven to fit at the start, but woven only when a broker's settings ask for them. */
    default List<Hook> hooksOnDemand() {
        return List.of();
    }

    /**
     * Classes of this adapter that refer to the broker's; the weave check verifies each member they use.
     */
    List<Class<?>> ownClasses();

    /** Called before weaving. */
    void prepare(Start start);

    /** "Class.method" of everything woven at the start, sorted. */
    default List<String> wovenMethods() {
        TreeSet<String> names = new TreeSet<>();
        hooks().forEach(hook -> names.add(hook.toString()));
        return List.copyOf(names);
    }
}
