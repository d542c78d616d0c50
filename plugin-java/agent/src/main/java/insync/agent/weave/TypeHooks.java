package insync.agent.weave;

import java.util.ArrayList;
import java.util.List;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.modifier.FieldManifestation;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.FieldAccessor;
import net.bytebuddy.implementation.Implementation;
import net.bytebuddy.matcher.ElementMatcher;

/**
 * Lists what one feature weaves into one class of the broker: advices on its methods, and the fields and interfaces that
 * the advices need. A class with advices is a subclass, in which they are nested. Several features may weave the same class.
 */
public class TypeHooks {
    public final String typeName;
    /** The hooks on the type's methods; none if only members are added. */
    public final List<Hook> hooks = new ArrayList<>();
    private final List<Member> members = new ArrayList<>();

    /** @param typeName the broker class to weave */
    public TypeHooks(String typeName) {
        this.typeName = typeName;
    }

    /**
     * Returns the name of a class that moved between the versions of an adapter, without loading it: the first one if the broker has
     * that, otherwise the second one. If it has neither, the weave check reports that.
     */
    public static String moved(String one, String other) {
        return ClassLoader.getSystemResource(one.replace('.', '/') + ".class") != null ? one : other;
    }

    /** Adds the fields and interfaces to the type. */
    final DynamicType.Builder<?> addMembers(DynamicType.Builder<?> builder) {
        DynamicType.Builder<?> all = builder;
        for (Member member : members) {
            all = member.addTo(all);
        }
        return all;
    }

    /** Adds a hook on this type's only method of that name. */
    public final TypeHooks on(String method, Class<?> advice) {
        hooks.add(new Hook(typeName, method, advice));
        return this;
    }

    /** Adds a hook on the only matching method of that name. */
    public final TypeHooks on(String method, ElementMatcher<? super MethodDescription> methods, Class<?> advice) {
        hooks.add(new Hook(typeName, method, methods, advice));
        return this;
    }

    /** Adds an interface to the type, whose methods are Kafka's or added here. */
    public final TypeHooks implement(Class<?> carrier) {
        members.add(builder -> builder.implement(carrier));
        return this;
    }

    /** Adds a field that only advices use. */
    protected final void field(String name, Class<?> type) {
        members.add(builder -> builder.defineField(name, type, Visibility.PRIVATE));
    }

    /** Adds a volatile field, with a getter and a setter of the field's name. */
    protected final void property(String name, Class<?> type) {
        members.add(builder -> builder.defineField(name, type, Visibility.PRIVATE, FieldManifestation.VOLATILE)
            .defineMethod(name, void.class, Visibility.PUBLIC).withParameters(type).intercept(FieldAccessor.ofField(name)));
        getter(name, type, name);
    }

    public final TypeHooks getter(String method, Class<?> type, String field) {
        return method(method, type, FieldAccessor.ofField(field));
    }

    /** Adds a method without parameters. */
    protected final TypeHooks method(String name, Class<?> type, Implementation body) {
        members.add(builder -> builder.defineMethod(name, type, Visibility.PUBLIC).intercept(body));
        return this;
    }

    /** Something that is added to the type. */
    private interface Member {
        DynamicType.Builder<?> addTo(DynamicType.Builder<?> builder);
    }
}
