package insync.agent.weave;

import insync.agent.Adapter;
import insync.agent.Extension;
import insync.agent.weave.SymbolCollector.Symbol;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDefinition;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.scaffold.MethodGraph;
import net.bytebuddy.pool.TypePool;

/**
 * Verifies before weaving that the broker has every class, method and field to which our compiled code refers. What that is, is read
 * from the class files of the adapter, of the advices, and of all that they use.
 */
final class SymbolCheck {
    private final TypePool pool;
    private final ClassFileLocator locator;

    SymbolCheck(TypePool pool, ClassFileLocator locator) {
        this.pool = pool;
        this.locator = locator;
    }

    /** Returns the symbols that this broker lacks, sorted, as text. */
    List<String> missing(Adapter adapter) {
        SymbolCollector used = used(adapter);
        List<String> missing = new ArrayList<>();
        used.symbols.stream().filter(symbol -> !exists(symbol)).forEach(symbol -> missing.add("missing " + symbol));
        if (missing.isEmpty()) {
            used.classes.forEach(own -> missing.addAll(unimplemented(own)));
        }
        adapter.allTypes().stream().map(type -> type.typeName)
            .filter(type -> !pool.describe(type).isResolved()).forEach(type -> missing.add("missing class " + type));
        return missing;
    }

    private SymbolCollector used(Adapter adapter) {
        SymbolCollector used = new SymbolCollector();
        Set<String> read = new HashSet<>();
        Extension extension = Extension.current();
        Stream.of(adapter.unused(), extension.unused(adapter.name)).flatMap(List::stream).map(Class::getName).forEach(read::add);
        Deque<String> open = new ArrayDeque<>(List.of(adapter.getClass().getName(), extension.getClass().getName()));
        adapter.allHooks().forEach(hook -> open.add(hook.advice.getName()));
        while (!open.isEmpty()) {
            String own = open.pop();
            if (read.add(own)) {
                used.read(KnownMethods.read(locator, own));
                open.addAll(used.own);
                used.own.clear();
            }
        }
        return used;
    }

    /** Returns the abstract methods of a broker's types that one of our classes extends and lacks: they are new there. */
    private List<String> unimplemented(String own) {
        TypeDescription type = pool.describe(own).resolve();
        if (type.isAbstract() || type.isInterface()) {
            return List.of();
        }
        return MethodGraph.Compiler.DEFAULT.compile((TypeDefinition) type).listNodes().stream()
            .map(MethodGraph.Node::getRepresentative).filter(MethodDescription::isAbstract)
            .map(method -> own + " lacks " + method.getDeclaringType().asErasure().getName() + "."
                + method.getInternalName() + method.getDescriptor())
            .sorted().collect(Collectors.toList());
    }

    private boolean exists(Symbol symbol) {
        TypePool.Resolution type = pool.describe(symbol.owner);
        return type.isResolved() && (symbol.name == null || declares(type.resolve(), symbol));
    }

    private boolean declares(TypeDefinition type, Symbol symbol) {
        if (type == null) {
            return false;
        }
        TypeDescription erased = type.asErasure();
        boolean here = symbol.isField()
            ? erased.getDeclaredFields().stream().anyMatch(f -> f.getName().equals(symbol.name)
                && f.getDescriptor().equals(symbol.descriptor))
            : erased.getDeclaredMethods().stream().anyMatch(m -> m.getInternalName().equals(symbol.name)
                && m.getDescriptor().equals(symbol.descriptor));
        return here || declares(type.getSuperClass(), symbol)
            || type.getInterfaces().stream().anyMatch(parent -> declares(parent, symbol));
    }
}
