package insync.mutants;

import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.scaffold.MethodGraph;
import net.bytebuddy.dynamic.scaffold.TypeValidation;
import net.bytebuddy.matcher.ElementMatchers;
import net.bytebuddy.pool.TypePool;

/** Changes one method of one of the agent's classes, by an advice that is inlined into it. */
final class Change {
    private final String type;
    private final String method;
    private final Class<?> advice;

    /** @param type the class's name; a name without "insync." is below insync.core */
    Change(String type, String method, Class<?> advice) {
        this.type = type.startsWith("insync.") ? type : "insync.core." + type;
        this.method = method;
        this.advice = advice;
    }

    /** Returns the entry of the class in the agent's jar. */
    String entry() {
        return type.replace('.', '/') + ".class";
    }

    /**
     * Returns the changed class file.
     *
     * @param agent finds the class files of the agent's jar
     * @param mutant the mutant's name, for an advice that prints it
     * @throws MissingMethodException unless exactly one method has the name
     */
    byte[] in(ClassFileLocator agent, String mutant) {
        TypePool pool = TypePool.Default.of(agent);
        TypePool.Resolution found = pool.describe(type);
        if (!found.isResolved()) {
            throw new MissingMethodException(type + ": the agent has no such class");
        }
        TypeDescription described = found.resolve();
        int methods = described.getDeclaredMethods().filter(ElementMatchers.named(method)).size();
        if (methods != 1) {
            throw new MissingMethodException(type + "." + method + ": found " + methods + " methods, expected 1");
        }
        // Described from its class file: the classes that an advice names are in the agent's jar only.
        ClassFileLocator own = ClassFileLocator.ForClassLoader.of(Change.class.getClassLoader());
        TypeDescription inlined = TypePool.Default.of(new ClassFileLocator.Compound(own, agent))
            .describe(advice.getName()).resolve();
        return new ByteBuddy().with(TypeValidation.DISABLED).with(MethodGraph.Compiler.ForDeclaredMethods.INSTANCE)
            .redefine(described, agent)
            .visit(Advice.withCustomMapping().bind(MutantName.class, mutant).to(inlined, own)
                .on(ElementMatchers.named(method)))
            .make().getBytes();
    }
}
