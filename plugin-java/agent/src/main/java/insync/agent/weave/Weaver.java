package insync.agent.weave;

import insync.agent.Adapter;
import insync.core.Insync;
import java.lang.instrument.Instrumentation;
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
import net.bytebuddy.implementation.Implementation;
import net.bytebuddy.implementation.bytecode.StackManipulation;
import net.bytebuddy.implementation.bytecode.member.MethodInvocation;
import net.bytebuddy.matcher.ElementMatchers;
import net.bytebuddy.pool.TypePool;

/**
 * Weaves an adapter's hooks, all or nothing: every woven class is made in memory first, and only when all
 * of them could be made is anything shown to the JVM. Afterwards each class is loaded and linked, so that
 * the broker's main never meets a class that is not what was proven.
 */
public final class Weaver {
    /** What an exception in advice ends in: counted and exposed, and the broker's own method goes on. */
    private static final StackManipulation RECORD_FAILURE = MethodInvocation.invoke(
        TypeDescription.ForLoadedType.of(Insync.class).getDeclaredMethods()
            .filter(ElementMatchers.named("failed")).getOnly());

    private final Adapter adapter;
    private final ClassFileLocator locator = ClassFileLocator.ForClassLoader.ofSystemLoader();
    private final TypePool pool = new TypePool.Default.WithLazyResolution(
        new TypePool.CacheProvider.Simple(), locator, TypePool.Default.ReaderMode.FAST);

    public Weaver(Adapter adapter) {
        this.adapter = adapter;
    }

    /**
     * @return what stands in the way, each in words; empty if everything is woven
     */
    public List<String> weave(Instrumentation instrumentation) {
        List<String> problems = new ArrayList<>(new SymbolCheck(pool, locator).missing(adapter));
        Map<String, byte[]> woven = problems.isEmpty() ? makeAll(problems) : Map.of();
        if (problems.isEmpty()) {
            WovenClasses classes = new WovenClasses(woven);
            instrumentation.addTransformer(classes);
            problems.addAll(classes.loadAll());
            // Every class it was there for is loaded: no later class load pays for it.
            instrumentation.removeTransformer(classes);
        }
        return problems;
    }

    /**
     * One more hook on a class as it is by now; its advice only, for a loaded class takes no new members.
     *
     * @param current the class file of the hook's type
     */
    byte[] add(Hook hook, byte[] current) {
        ClassFileLocator asItIs = new ClassFileLocator.Compound(
            ClassFileLocator.Simple.of(hook.typeName(), current), locator);
        TypeDescription type = TypePool.Default.WithLazyResolution.of(asItIs).describe(hook.typeName()).resolve();
        return byteBuddy().with(Implementation.Context.Disabled.Factory.INSTANCE).redefine(type, asItIs)
            .visit(adviceOf(hook).on(hook.methods())).make().getBytes();
    }

    private Map<String, byte[]> makeAll(List<String> problems) {
        Map<String, List<Hook>> byType = new LinkedHashMap<>();
        adapter.hooks().forEach(hook -> byType.computeIfAbsent(hook.typeName(), t -> new ArrayList<>()).add(hook));
        Map<String, byte[]> woven = new HashMap<>();
        byType.forEach((typeName, hooks) -> woven.put(typeName, tryToMake(typeName, hooks, problems)));
        // Made to see that they fit; what comes of it is not used.
        adapter.hooksOnDemand().forEach(hook -> tryToMake(hook.typeName(), List.of(hook), problems));
        return woven;
    }

    /** Null where it cannot be made, with the reason among the problems. */
    private byte[] tryToMake(String typeName, List<Hook> hooks, List<String> problems) {
        try {
            return make(typeName, hooks, problems);
        } catch (RuntimeException | LinkageError failed) {
            problems.add("cannot weave " + typeName + ": " + failed);
            return null;
        }
    }

    private byte[] make(String typeName, List<Hook> hooks, List<String> problems) {
        TypeDescription type = pool.describe(typeName).resolve();
        DynamicType.Builder<?> builder = byteBuddy().redefine(type, locator);
        for (Hook hook : hooks) {
            int found = matches(type, hook);
            if (found != 1) {
                problems.add(hook + ": " + found + " methods match, expected 1");
            }
            builder = hook.shape(builder).visit(adviceOf(hook).on(hook.methods()));
        }
        DynamicType.Unloaded<?> woven = builder.make();
        problems.addAll(unimplemented(woven.getTypeDescription()));
        return woven.getBytes();
    }

    private static ByteBuddy byteBuddy() {
        return new ByteBuddy().with(TypeValidation.DISABLED).with(MethodGraph.Compiler.ForDeclaredMethods.INSTANCE);
    }

    /** An interface of ours may name methods of the broker's class; whether it has them shows only here. */
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

    /** A type pool does not list the static initializer; whether there is one shows in the fields it sets. */
    private static int matches(TypeDescription type, Hook hook) {
        boolean initializer = hook.methods().matches(new MethodDescription.Latent.TypeInitializer(type));
        return type.getDeclaredMethods().filter(hook.methods()).size() + (initializer ? 1 : 0);
    }

    private Advice adviceOf(Hook hook) {
        // Described from its class file: reflection on the advice would load the very broker classes to be woven.
        return Advice.to(pool.describe(hook.advice().getName()).resolve(), locator)
            .withExceptionHandler(new Advice.ExceptionHandler.Simple(RECORD_FAILURE));
    }
}
