package insync.agent.weave;

import insync.core.Insync;
import insync.core.events.EventLog;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.security.ProtectionDomain;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Weaves a hook into a loaded class when a broker's settings turn it on. The JVM lets a loaded class change its
 * code, but not its fields or interfaces. The start of the agent verified that the hook fits.
 */
public final class HooksOnDemand {
    private final BiFunction<List<Hook>, byte[], byte[]> weaver;
    private final Instrumentation instrumentation;
    private final Function<List<Hook>, List<String>> unknownMethods;
    /** By the name of their class, in the order of the requests. */
    private final Map<String, List<Hook>> woven = new ConcurrentHashMap<>();
    /** The transformer's error; the JVM itself ignores it. */
    private volatile Throwable failure;
    private boolean registered;

    /**
     * @param weaver adds hooks to the class file of their class
     * @param unknownMethods returns the methods of hooks that must not be woven, because no known build has them
     */
    public HooksOnDemand(BiFunction<List<Hook>, byte[], byte[]> weaver, Instrumentation instrumentation,
                         Function<List<Hook>, List<String>> unknownMethods) {
        this.weaver = weaver;
        this.instrumentation = instrumentation;
        this.unknownMethods = unknownMethods;
    }

    /**
     * Weaves those of a feature's hooks that are not woven yet, all or none, and emits an event.
     *
     * @param why the setting that turns them on
     * @throws IllegalStateException if a method is unknown or the JVM refused a class; none of the hooks is woven then
     */
    public synchronized void weave(List<Hook> hooks, String why) {
        List<Hook> added = hooks.stream().filter(hook -> !isWoven(hook)).collect(Collectors.toList());
        if (added.isEmpty()) {
            return;
        }
        List<String> unknown = unknownMethods.apply(added);
        if (!unknown.isEmpty()) {
            throw new IllegalStateException("cannot weave for " + why + ": " + KnownMethods.refusal(unknown));
        }
        if (!registered) {
            // The transformer stays, because each retransformation starts from the class as it was loaded.
            instrumentation.addTransformer(new Additions(), true);
            registered = true;
        }
        added.forEach(hook -> woven.computeIfAbsent(hook.typeName, type -> new CopyOnWriteArrayList<>()).add(hook));
        Throwable refused = retransform(added);
        if (refused != null) {
            added.forEach(hook -> woven.get(hook.typeName).remove(hook));
            // The JVM ignores what a transformer throws, so some of the classes may have their hooks.
            retransform(added);
            throw new IllegalStateException("cannot weave " + added + " for " + why + ": " + refused, refused);
        }
        List<String> names = added.stream().map(Hook::toString).collect(Collectors.toList());
        Insync.current().events.emit("hook_added", EventLog.fields("why", why, "woven", names));
        System.err.println("[insync] woven for " + why + ": " + String.join(", ", names));
    }

    private boolean isWoven(Hook hook) {
        return woven.getOrDefault(hook.typeName, List.of()).stream().anyMatch(each -> each.advice == hook.advice);
    }

    /** Lets the JVM transform the classes of hooks again; returns what went wrong, or null. */
    private Throwable retransform(List<Hook> hooks) {
        failure = null;
        try {
            Set<Class<?>> classes = new LinkedHashSet<>();
            for (Hook hook : hooks) {
                classes.add(Class.forName(hook.typeName));
            }
            instrumentation.retransformClasses(classes.toArray(new Class<?>[0]));
        } catch (ClassNotFoundException | UnmodifiableClassException | RuntimeException | LinkageError
                | InternalError refused) {
            // UnsupportedOperationException, too: a JVM without retransformation, or a change that it does not allow.
            failure = refused;
        }
        return failure;
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
                return weaver.apply(hooks, loaded);
            } catch (RuntimeException | LinkageError broken) {
                failure = broken;
                return null;
            }
        }
    }
}
