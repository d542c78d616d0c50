package insync.agent.weave;

import insync.agent.Adapter;
import insync.core.Insync;
import insync.core.events.EventLog;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.security.ProtectionDomain;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Weaves a hook into a loaded class when a broker's settings turn it on. The JVM lets a loaded class change its
 * code, but not its fields or interfaces. The start of the agent verified that the hook fits.
 */
public final class HooksOnDemand {
    private final Adapter adapter;
    private final Instrumentation instrumentation;
    /** By the name of their class, in the order of the requests. */
    private final Map<String, List<Hook>> woven = new ConcurrentHashMap<>();
    /** The transformer's error; the JVM itself ignores it. */
    private volatile Throwable failure;
    private boolean registered;

    public HooksOnDemand(Adapter adapter, Instrumentation instrumentation) {
        this.adapter = adapter;
        this.instrumentation = instrumentation;
    }

    /**
     * Weaves a hook that is not woven yet, and emits an event.
     *
     * @param why the setting that turns it on
     * @throws IllegalStateException if the JVM refused the class
     */
    public synchronized void weave(Hook hook, String why) {
        List<Hook> there = woven.computeIfAbsent(hook.typeName(), type -> new CopyOnWriteArrayList<>());
        if (there.stream().anyMatch(each -> each.advice() == hook.advice())) {
            return;
        }
        there.add(hook);
        if (!registered) {
            // The transformer stays, because each retransformation starts from the class as it was loaded.
            instrumentation.addTransformer(new Additions(), true);
            registered = true;
        }
        failure = null;
        try {
            instrumentation.retransformClasses(Class.forName(hook.typeName()));
        } catch (ClassNotFoundException | UnmodifiableClassException | LinkageError refused) {
            failure = refused;
        }
        if (failure != null) {
            there.remove(hook);
            throw new IllegalStateException("cannot weave " + hook + " for " + why, failure);
        }
        Insync.current().events().emit("hook_added", EventLog.fields("why", why, "woven", List.of(hook.toString())));
        System.err.println("[insync] woven for " + why + ": " + hook);
    }

    /** Adds all requested hooks to the original class. */
    private final class Additions implements ClassFileTransformer {
        @Override
        public byte[] transform(ClassLoader loader, String internalName, Class<?> redefined, ProtectionDomain domain,
                                byte[] loaded) {
            List<Hook> hooks = redefined == null ? null : woven.get(redefined.getName());
            if (hooks == null) {
                return null;
            }
            try {
                Weaver weaver = new Weaver(adapter);
                byte[] current = loaded;
                for (Hook hook : hooks) {
                    current = weaver.add(hook, current);
                }
                return current;
            } catch (RuntimeException | LinkageError broken) {
                failure = broken;
                return null;
            }
        }
    }
}
