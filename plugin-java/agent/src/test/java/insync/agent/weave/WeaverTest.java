package insync.agent.weave;

import static org.junit.jupiter.api.Assertions.assertEquals;

import insync.agent.Adapter;
import insync.agent.broker.Platform;
import java.util.List;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.FixedValue;
import org.junit.jupiter.api.Test;

/** Problems that the weaver finds before the JVM gets any woven class. */
class WeaverTest {

    /** In place of a class of the broker. */
    static class Plain {
        public int itsOwn() {
            return 1;
        }
    }

    /** Declares a woven method, a method that the class has, and one that it lacks. */
    interface Carrier {
        int wovenIn();

        int itsOwn();

        int gone(String why);
    }

    @Test
    void aMissingMethodOfAnInterfaceIsNamed() {
        assertEquals(List.of("missing method " + Plain.class.getName() + ".gone(Ljava/lang/String;)I"),
            problems("itsOwn"));
    }

    @Test
    void aHookWithoutAMethodIsNamed() {
        assertEquals(Plain.class.getName() + ".moved: 0 methods match, expected 1", problems("moved").get(0));
    }

    private static List<String> problems(String method) {
        // No instrumentation, because it is not used if there are problems.
        return new Weaver(new OneType(new PlainHooks(method))).weave(null);
    }

    private static final class PlainHooks extends TypeHooks {
        private final String method;

        PlainHooks(String method) {
            super(Plain.class.getName());
            this.method = method;
        }

        @Override
        public List<Hook> hooks() {
            return List.of(on(method, Nothing.class));
        }

        @Override
        public DynamicType.Builder<?> addMembers(DynamicType.Builder<?> builder) {
            return builder.implement(Carrier.class)
                .defineMethod("wovenIn", int.class, Visibility.PUBLIC).intercept(FixedValue.value(2));
        }
    }

    static final class Nothing {
        @Advice.OnMethodEnter
        static void enter() { }
    }

    private static final class OneType implements Adapter {
        private final TypeHooks type;

        OneType(TypeHooks type) {
            this.type = type;
        }

        @Override
        public String name() {
            return "test";
        }

        @Override
        public List<TypeHooks> types() {
            return List.of(type);
        }

        @Override
        public List<Class<?>> ownClasses() {
            return List.of();
        }

        @Override
        public Platform platform() {
            return null;
        }
    }
}
