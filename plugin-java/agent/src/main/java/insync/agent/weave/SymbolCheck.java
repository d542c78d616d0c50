package insync.agent.weave;

import insync.agent.Adapter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import net.bytebuddy.description.type.TypeDefinition;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.pool.TypePool;

/**
 * Verifies that the broker has every class, method and field that the adapter's compiled code refers to,
 * before anything is woven. The list is read off the adapter's own class files, so it cannot go stale.
 */
final class SymbolCheck {
    private final TypePool pool;
    private final ClassFileLocator locator;

    SymbolCheck(TypePool pool, ClassFileLocator locator) {
        this.pool = pool;
        this.locator = locator;
    }

    /** The symbols this broker lacks, sorted, each in words. */
    List<String> missing(Adapter adapter) {
        TreeSet<Symbol> required = new TreeSet<>();
        for (Class<?> own : adapter.ownClasses()) {
            required.addAll(references(own));
        }
        List<String> missing = new ArrayList<>();
        required.stream().filter(symbol -> !exists(symbol)).forEach(symbol -> missing.add("missing " + symbol));
        Stream.concat(adapter.hooks().stream(), adapter.hooksOnDemand().stream()).map(Hook::typeName)
            .filter(type -> !pool.describe(type).isResolved()).forEach(type -> missing.add("missing class " + type));
        return missing;
    }

    private TreeSet<Symbol> references(Class<?> own) {
        try {
            SymbolCollector collector = new SymbolCollector();
            new ClassReader(locator.locate(own.getName()).resolve()).accept(collector, ClassReader.SKIP_DEBUG);
            return collector.symbols();
        } catch (IOException unreadable) {
            throw new IllegalStateException("cannot read " + own, unreadable);
        }
    }

    private boolean exists(Symbol symbol) {
        TypePool.Resolution type = pool.describe(symbol.owner());
        return type.isResolved() && (symbol.name() == null || declares(type.resolve(), symbol));
    }

    private boolean declares(TypeDefinition type, Symbol symbol) {
        if (type == null) {
            return false;
        }
        TypeDescription erased = type.asErasure();
        boolean here = symbol.isField()
            ? erased.getDeclaredFields().stream().anyMatch(f -> f.getName().equals(symbol.name())
                && f.getDescriptor().equals(symbol.descriptor()))
            : erased.getDeclaredMethods().stream().anyMatch(m -> m.getInternalName().equals(symbol.name())
                && m.getDescriptor().equals(symbol.descriptor()));
        return here || declares(type.getSuperClass(), symbol)
            || type.getInterfaces().stream().anyMatch(parent -> declares(parent, symbol));
    }
}
