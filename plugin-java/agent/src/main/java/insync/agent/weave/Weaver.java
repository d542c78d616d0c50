package insync.agent.weave;

import insync.agent.Adapter;
import insync.core.Insync;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.dynamic.scaffold.MethodGraph;
import net.bytebuddy.dynamic.scaffold.TypeValidation;
import net.bytebuddy.implementation.bytecode.StackManipulation;
import net.bytebuddy.implementation.bytecode.member.MethodInvocation;
import net.bytebuddy.matcher.ElementMatchers;
import net.bytebuddy.pool.TypePool;

/**
 * Weaves an adapter's hooks, all or none. It creates every woven class in memory, and {@link WovenBroker} passes them to the JVM only
 * if all could be created. Then it loads and links each, so that the broker's main runs only verified classes.
 */
public final class Weaver {
    /** Records an exception of an advice; the broker's method then continues. */
    private static final StackManipulation RECORD_FAILURE = MethodInvocation.invoke(
        TypeDescription.ForLoadedType.of(Insync.class).getDeclaredMethods()
            .filter(ElementMatchers.named("failed")).getOnly());

    private final Adapter adapter;
    private final Map<String, List<TypeHooks>> byType = new LinkedHashMap<>();
    private final ClassFileLocator locator;
    private final TypePool pool;

    public Weaver(Adapter adapter) {
        this(adapter, ClassFileLocator.ForClassLoader.ofSystemLoader());
    }

    /** @param locator finds the class files of the class path */
    public Weaver(Adapter adapter, ClassFileLocator locator) {
        this.adapter = adapter;
        this.locator = locator;
        adapter.allTypes().forEach(type -> byType.computeIfAbsent(type.typeName, name -> new ArrayList<>()).add(type));
        pool = new TypePool.Default.WithLazyResolution(new TypePool.CacheProvider.Simple(), locator,
            TypePool.Default.ReaderMode.FAST);
    }

    /**
     * Makes all woven classes, without a JVM to weave them into.
     *
     * @param allowsUnknown whether methods may be woven that no known build has
     * @param problems receives the reasons why not all hooks can be woven, as text; none if they fit
     */
    public WovenBroker make(boolean allowsUnknown, List<String> problems) {
        problems.addAll(new SymbolCheck(pool, locator).missing(adapter));
        List<String> unknown = KnownMethods.unknown(adapter.allHooks());
        if (problems.isEmpty() && !unknown.isEmpty() && !allowsUnknown) {
            problems.add(KnownMethods.refusal(unknown));
        }
        Map<String, byte[]> originals = new HashMap<>();
        Map<String, byte[]> made = problems.isEmpty() ? makeAll(originals, problems) : Map.of();
        return new WovenBroker(adapter.wovenMethods(), unknown, originals, made);
    }

    /**
     * Weaves a class as an earlier agent has changed it.
     *
     * @param current the class file that the JVM would load
     * @throws IllegalStateException if the hooks do not fit
     */
    public byte[] makeFrom(String typeName, byte[] current) {
        List<String> problems = new ArrayList<>();
        List<TypeHooks> parts = byType.get(typeName);
        byte[] woven = make(typeName, parts, hooksOf(parts), problems, asItIs(typeName, current));
        if (!problems.isEmpty()) {
            throw new IllegalStateException("as another agent has changed it: " + String.join("; ", problems));
        }
        return woven;
    }

    private ClassFileLocator asItIs(String typeName, byte[] current) {
        return new ClassFileLocator.Compound(ClassFileLocator.Simple.of(typeName, current), locator);
    }

    /** @param originals receives the class files that are woven, by class name */
    private Map<String, byte[]> makeAll(Map<String, byte[]> originals, List<String> problems) {
        Map<String, byte[]> woven = new HashMap<>();
        byType.forEach((typeName, parts) -> {
            originals.put(typeName, KnownMethods.read(locator, typeName));
            woven.put(typeName, tryToMake(typeName, parts, hooksOf(parts), problems));
        });
        return woven;
    }

    private static List<Hook> hooksOf(List<TypeHooks> parts) {
        List<Hook> hooks = new ArrayList<>();
        parts.forEach(part -> hooks.addAll(part.hooks));
        return hooks;
    }

    /** Returns the woven class; or null, and adds the reason to the problems, if it cannot be created. */
    private byte[] tryToMake(String typeName, List<TypeHooks> parts, List<Hook> hooks, List<String> problems) {
        try {
            return make(typeName, parts, hooks, problems, locator);
        } catch (RuntimeException | LinkageError failed) {
            problems.add("cannot weave " + typeName + ": " + failed);
            return null;
        }
    }

    private byte[] make(String typeName, List<TypeHooks> parts, List<Hook> hooks, List<String> problems,
                        ClassFileLocator from) {
        TypePool types = from == locator ? pool : TypePool.Default.WithLazyResolution.of(from);
        TypeDescription type = types.describe(typeName).resolve();
        DynamicType.Builder<?> builder = byteBuddy().redefine(type, from);
        for (TypeHooks part : parts) {
            builder = part.addMembers(builder);
        }
        for (Hook hook : hooks) {
            int found = matches(type, hook);
            if (found != 1) {
                problems.add(hook + ": " + found + " methods match, expected 1");
            }
            builder = builder.visit(adviceOf(hook).on(hook.methods));
        }
        DynamicType.Unloaded<?> woven = builder.make();
        problems.addAll(unimplemented(woven.getTypeDescription()));
        return woven.getBytes();
    }

    private static ByteBuddy byteBuddy() {
        return new ByteBuddy().with(TypeValidation.DISABLED).with(MethodGraph.Compiler.ForDeclaredMethods.INSTANCE);
    }

    /** Finds methods of our interfaces that a woven class lacks. Such an interface may declare methods of Kafka's class. */
    private List<String> unimplemented(TypeDescription woven) {
        List<String> missing = new ArrayList<>();
        for (TypeDescription carrier : woven.getInterfaces().asErasures()) {
            if (carrier.getName().startsWith("insync.")) {
                pool.describe(carrier.getName()).resolve().getDeclaredMethods().stream()
                    .filter(method -> woven.getDeclaredMethods().stream().noneMatch(own ->
                        own.getInternalName().equals(method.getInternalName())
                            && own.getDescriptor().equals(method.getDescriptor())))
                    .forEach(method -> missing.add("missing method " + woven.getName() + "."
                        + method.getInternalName() + method.getDescriptor()));
            }
        }
        return missing;
    }

    /** Counts matching methods. A type pool does not list the static initializer, so that one counts if it matches. */
    private static int matches(TypeDescription type, Hook hook) {
        boolean initializer = hook.methods.matches(new MethodDescription.Latent.TypeInitializer(type));
        return type.getDeclaredMethods().filter(hook.methods).size() + (initializer ? 1 : 0);
    }

    private Advice adviceOf(Hook hook) {
        // Described from its class file, because reflection on the advice would load the broker classes to weave.
        return Advice.to(pool.describe(hook.advice.getName()).resolve(), locator)
            .withExceptionHandler(new Advice.ExceptionHandler.Simple(RECORD_FAILURE));
    }
}
