package insync.agent;

import com.yammer.metrics.core.MetricsRegistry;
import insync.agent.kafka.BrokerAccess;
import insync.agent.stepdown.broker.ControllerAccess;
import insync.agent.stepdown.broker.StepDownAccess;
import insync.agent.weave.Hook;
import insync.agent.weave.TypeHooks;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** Provides everything that depends on the broker's version: its hooks, and the code that every broker uses at run time. */
public interface Adapter {

    /** Returns the adapter's row in broker-versions.properties: the lowest version that it supports, such as "v4_2". */
    String name();

    /** Returns the hooks of this adapter. */
    List<TypeHooks> types();

    /** Returns these, and the extension's. */
    default List<TypeHooks> allTypes() {
        List<TypeHooks> all = new ArrayList<>(types());
        all.addAll(Extension.current().types(name()));
        return all;
    }

    /** Returns our classes that this version never runs, although those that it runs name them: the weave check passes them over. */
    default List<Class<?>> unused() {
        return List.of();
    }

    /** Returns the registry behind Kafka's reporters. */
    MetricsRegistry metrics();

    /** Returns what reads a broker; null if no scope of pending fetches is supported. */
    default BrokerAccess access() {
        return null;
    }

    /** Returns what reads what solution 2 needs; null if that is not supported. */
    default StepDownAccess stepDown() {
        return null;
    }

    /** Returns what sends to the controller; null if solution 2 is not supported. */
    default ControllerAccess controller() {
        return null;
    }

    default List<Hook> allHooks() {
        List<Hook> all = new ArrayList<>();
        allTypes().forEach(type -> all.addAll(type.hooks));
        return all;
    }

    /** Returns "Class.method" of every woven method, sorted, and each class that only gets members. */
    default List<String> wovenMethods() {
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
