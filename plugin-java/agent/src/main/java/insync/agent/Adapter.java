package insync.agent;

import com.yammer.metrics.core.MetricsRegistry;
import insync.agent.kafka.BrokerAccess;
import insync.agent.stepdown.broker.ControllerAccess;
import insync.agent.weave.Hook;
import insync.agent.weave.TypeHooks;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** Provides everything that depends on the broker's version: its hooks, and the code that every broker uses at run time. */
public abstract class Adapter {
    /** The adapter's row in broker-versions.properties: the lowest version that it supports, such as "v4_2". */
    public final String name;
    /** Reads a broker, for solution 2 as well if that is supported; null if no scope of pending fetches is supported. */
    public final BrokerAccess access;
    /** Sends to the controller; null if solution 2 is not supported. */
    public final ControllerAccess controller;

    protected Adapter(String name, BrokerAccess access, ControllerAccess controller) {
        this.name = name;
        this.access = access;
        this.controller = controller;
    }

    /** Returns the hooks of this adapter. */
    public abstract List<TypeHooks> types();

    /** Returns the registry behind Kafka's reporters. */
    public abstract MetricsRegistry metrics();

    /** Returns our classes that this version never runs, although those that it runs name them: the weave check passes them over. */
    public List<Class<?>> unused() {
        return List.of();
    }

    /** Returns the hooks of this adapter, and the extension's. */
    public final List<TypeHooks> allTypes() {
        List<TypeHooks> all = new ArrayList<>(types());
        all.addAll(Extension.current().types(name));
        return all;
    }

    public final List<Hook> allHooks() {
        List<Hook> all = new ArrayList<>();
        allTypes().forEach(type -> all.addAll(type.hooks));
        return all;
    }

    /** Returns "Class.method" of every woven method, sorted, and each class that only gets members. */
    public final List<String> wovenMethods() {
        TreeSet<String> names = new TreeSet<>();
        for (TypeHooks type : allTypes()) {
            type.hooks.forEach(hook -> names.add(hook.toString()));
            if (type.hooks.isEmpty()) {
                names.add(type.typeName + ".<members>");
            }
        }
        return List.copyOf(names);
    }
}
