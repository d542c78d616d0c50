package insync.agent;

import insync.agent.broker.Platform;
import insync.agent.weave.Hook;
import insync.agent.weave.TypeHooks;
import java.util.ArrayList;
import java.util.List;

/** An adapter with the hooks of the extension. */
final class ExtendedAdapter implements Adapter {
    private final Adapter adapter;

    ExtendedAdapter(Adapter adapter) {
        this.adapter = adapter;
    }

    @Override
    public String name() {
        return adapter.name();
    }

    @Override
    public List<TypeHooks> types() {
        return adapter.types();
    }

    @Override
    public List<Hook> hooksOnDemand() {
        List<Hook> all = new ArrayList<>(adapter.hooksOnDemand());
        all.addAll(Extension.current().hooks(name()));
        return all;
    }

    @Override
    public List<Class<?>> ownClasses() {
        List<Class<?>> all = new ArrayList<>(adapter.ownClasses());
        all.addAll(Extension.current().ownClasses(name()));
        return all;
    }

    @Override
    public Platform platform() {
        return adapter.platform();
    }
}
