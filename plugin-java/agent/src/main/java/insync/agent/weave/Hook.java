package insync.agent.weave;

import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.matcher.ElementMatchers;

/** Names one method of a broker class and the advice that is woven into it. */
public final class Hook {
    public final String typeName;
    private final String method;
    final ElementMatcher<? super MethodDescription> methods;
    public final Class<?> advice;

    /**
     * Creates a hook on the only method of that name.
     *
     * @param typeName the broker class to weave
     * @param method its method's name, {@code <init>} for its constructor, {@code <clinit>} for its static initializer
     * @param advice the class whose @Advice methods are inlined
     */
    public Hook(String typeName, String method, Class<?> advice) {
        this(typeName, method, matcher(method), advice);
    }

    /**
     * Creates a hook on one of several methods of that name.
     *
     * @param methods selects the method; exactly one must match, or the weave fails
     */
    public Hook(String typeName, String method, ElementMatcher<? super MethodDescription> methods, Class<?> advice) {
        this.typeName = typeName;
        this.method = method;
        this.methods = methods;
        this.advice = advice;
    }

    private static ElementMatcher<? super MethodDescription> matcher(String method) {
        switch (method) {
            case "<init>":
                return ElementMatchers.isConstructor();
            case "<clinit>":
                return ElementMatchers.isTypeInitializer();
            default:
                return ElementMatchers.named(method);
        }
    }

    /** Returns "Class.method", the hook's name in events. */
    @Override
    public String toString() {
        return typeName + "." + method;
    }
}
