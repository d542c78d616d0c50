package insync.agent.weave;

import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.matcher.ElementMatcher;

/**
 * One place in the broker's code: a type, its methods that take an advice, and the fields or interfaces
 * the advice needs there. The file of a hook holds its matcher and its advice together.
 */
public abstract class Hook {
    private final String typeName;
    private final String label;

    /**
     * @param typeName the broker class to weave
     * @param label the method's name for people and for the proof of the weave
     */
    protected Hook(String typeName, String label) {
        this.typeName = typeName;
        this.label = label;
    }

    public final String typeName() {
        return typeName;
    }

    /** Which method takes the advice; exactly one must match, for the weave to be whole. */
    public abstract ElementMatcher<? super MethodDescription> methods();

    /** The class whose @Advice methods are inlined. */
    public abstract Class<?> advice();

    /** Adds fields or interfaces to the type; most hooks need none. */
    public DynamicType.Builder<?> shape(DynamicType.Builder<?> builder) {
        return builder;
    }

    @Override
    public final String toString() {
        return typeName + "." + label;
    }
}
