package insync.agent.weave;

import insync.agent.Adapter;
import insync.core.EventLog;
import insync.core.Insync;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.security.ProtectionDomain;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Weaves a hook into a class that the JVM runs already, when a broker's settings ask for it. The JVM lets a loaded class
 * have new code, but neither fields nor interfaces; that such a hook fits was proven at the start, with all others.
 */
public final class HooksOnDemand {
    private final Adapter adapter;
    private final Instrumentation instrumentation;
    private final Set<String> woven = new HashSet<>();

    public HooksOnDemand(Adapter adapter, Instrumentation instrumentation) {
        this.adapter = adapter;
        this.instrumentation = instrumentation;
    }

    /**
     * Weaves a hook that is not woven yet, and tells so in an event.
     *
     * @param why the setting that asks for it
     * @throws IllegalStateException if the JVM refused
     */
    public synchronized void weave(Hook hook, String why) {
        if (!woven.add(hook.advice().getName())) {
            return;
        }
        Addition addition = new Addition(hook);
        instrumentation.addTransformer(addition, true);
        try {
            instrumentation.retransformClasses(Class.forName(hook.typeName()));
        } catch (ClassNotFoundException | UnmodifiableClassException refused) {
            addition.failure = refused;
        } finally {
            instrumentation.removeTransformer(addition);
        }
        if (addition.failure != null) {
            throw new IllegalStateException("cannot weave " + hook + " for " + why, addition.failure);
        }
        Insync.current().events().emit("hook_added", EventLog.fields("why", why, "woven", List.of(hook.toString())));
        System.err.println("[insync] woven for " + why + ": " + hook);
    }

    /** The one hook on top of what the class is by now. */
    private final class Addition implements ClassFileTransformer {
        private final Hook hook;
        /** What the JVM would swallow. */
        private Throwable failure;

        private Addition(Hook hook) {
            this.hook = hook;
        }

        @Override
        public byte[] transform(ClassLoader loader, String internalName, Class<?> redefined, ProtectionDomain domain,
                                byte[] current) {
            if (redefined == null || !redefined.getName().equals(hook.typeName())) {
                return null;
            }
            try {
                return new Weaver(adapter).add(hook, current);
            } catch (RuntimeException | LinkageError broken) {
                failure = broken;
                return null;
            }
        }
    }
}
