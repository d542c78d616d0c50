package insync.agent.kafka;

import insync.agent.Adapter;
import insync.agent.Start;
import insync.agent.weave.Hook;
import java.util.ArrayList;
import java.util.List;

/** What the adapters from 3.9 on have in common: the hooks of both scopes, at classes whose names they give. */
public abstract class CommonAdapter implements Adapter {
    private final String name;
    private final BrokerAccess access;
    private final List<Hook> hooks;

    /**
     * @param name the adapter's row in broker-versions.properties
     * @param fetchMessages the hook on ReplicaManager.fetchMessages, whose arguments moved with 4.0
     * @param classes the names of the broker's classes that moved
     */
    protected CommonAdapter(String name, BrokerAccess access, Hook fetchMessages, BrokerClasses classes) {
        this.name = name;
        this.access = access;
        this.hooks = new ArrayList<>(CommonHooks.all(classes));
        this.hooks.add(fetchMessages);
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final List<Hook> hooks() {
        return List.copyOf(hooks);
    }

    @Override
    public final List<Class<?>> ownClasses() {
        List<Class<?>> own = new ArrayList<>(CommonHooks.ownClasses());
        for (Class<?> each = access.getClass(); each != Object.class; each = each.getSuperclass()) {
            own.add(each);
        }
        hooks.forEach(hook -> own.add(hook.advice()));
        return own;
    }

    @Override
    public final void prepare(Start start) {
        KafkaBroker.prepare(access, start);
    }
}
