package insync.agent.weave;

import java.util.List;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.modifier.FieldManifestation;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.FieldAccessor;
import net.bytebuddy.matcher.ElementMatcher;

/**
 * Lists what one feature weaves into one class of the broker: advices on its methods, and the fields and interfaces that
 * the advices need. The advices are nested classes of the subclass. Several features may weave the same class.
 */
public abstract class TypeHooks {
    private final String typeName;

    /** @param typeName the broker class to weave */
    protected TypeHooks(String typeName) {
        this.typeName = typeName;
    }

    public final String typeName() {
        return typeName;
    }

    /** Returns the hooks on the type's methods; none if only members are added. */
    public List<Hook> hooks() {
        return List.of();
    }

    /** Adds fields or interfaces to the type. */
    public DynamicType.Builder<?> addMembers(DynamicType.Builder<?> builder) {
        return builder;
    }

    /** Returns a hook on this type's only method of that name. */
    protected final Hook on(String method, Class<?> advice) {
        return new Hook(typeName, method, advice);
    }

    /** Returns a hook on the only matching method of that name. */
    protected final Hook on(String method, ElementMatcher<? super MethodDescription> methods, Class<?> advice) {
        return new Hook(typeName, method, () -> methods, advice);
    }

    /** Adds a volatile field, with a getter and a setter of the field's name. */
    protected static DynamicType.Builder<?> property(DynamicType.Builder<?> builder, String name, Class<?> type) {
        return getter(builder.defineField(name, type, Visibility.PRIVATE, FieldManifestation.VOLATILE), name, type, name)
            .defineMethod(name, void.class, Visibility.PUBLIC).withParameters(type)
            .intercept(FieldAccessor.ofField(name));
    }

    /** Adds a method that returns the value of a field. */
    protected static DynamicType.Builder<?> getter(DynamicType.Builder<?> builder, String method, Class<?> type,
                                                   String field) {
        return builder.defineMethod(method, type, Visibility.PUBLIC).intercept(FieldAccessor.ofField(field));
    }
}
