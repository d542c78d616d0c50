package insync.agent.weave;

import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.matcher.ElementMatchers;

/**
 * One place in the broker's code: a type, its method that takes an advice, and the fields or interfaces
 * the advice needs there. The file of a hook holds the place and the advice together.
 */
public abstract class Hook {
    private final String typeName;
    private final String method;
    private final Class<?> advice;

    /**
     * @param typeName the broker class to weave
     * @param method its method's name, {@code <init>} for its constructor, {@code <clinit>} for its static initializer
     * @param advice the class whose @Advice methods are inlined
     */
    protected Hook(String typeName, String method, Class<?> advice) {
        this.typeName = typeName;
        this.method = method;
        this.advice = advice;
    }

    public final String typeName() {
        return typeName;
    }

    public final Class<?> advice() {
        return advice;
    }

    /** Which method takes the advice; exactly one must match, for the weave to be whole. */
    public ElementMatcher<? super MethodDescription> methods() {
        switch (method) {
            case "<init>":
                return ElementMatchers.isConstructor();
            case "<clinit>":
                return ElementMatchers.isTypeInitializer();
            default:
                return ElementMatchers.named(method);
        }
    }

    /** Adds fields or interfaces to the type; most hooks need none. */
    public DynamicType.Builder<?> shape(DynamicType.Builder<?> builder) {
        return builder;
    }

    @Override
    public final String toString() {
        return typeName + "." + method;
    }
}
