package insync.agent.weave;

import static org.junit.jupiter.api.Assertions.assertEquals;

import insync.agent.Adapter;
import insync.agent.Start;
import java.util.List;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.FixedValue;
import org.junit.jupiter.api.Test;

/** What the weave finds wrong before the JVM gets to see any of it. */
class WeaverTest {

    /** Stands for a class of the broker's. */
    static class Plain {
        public int itsOwn() {
            return 1;
        }
    }

    /** Names a method that is woven in, one that the class has, and one that it lacks. */
    interface Carrier {
        int wovenIn();

        int itsOwn();

        int gone(String why);
    }

    @Test
    void aMethodOfACarrierThatTheClassLacksIsNamed() {
        assertEquals(List.of("missing method " + Plain.class.getName() + ".gone(Ljava/lang/String;)I"),
            problems("itsOwn"));
    }

    @Test
    void aHookWithoutItsMethodIsNamed() {
        assertEquals(Plain.class.getName() + ".moved: 0 methods match, expected 1", problems("moved").get(0));
    }

    private static List<String> problems(String method) {
        // No instrumentation: with problems it must not come to be used.
        return new Weaver(new OneHook(new PlainHook(method))).weave(null);
    }

    private static final class PlainHook extends Hook {
        PlainHook(String method) {
            super(Plain.class.getName(), method, Nothing.class);
        }

        @Override
        public DynamicType.Builder<?> shape(DynamicType.Builder<?> builder) {
            return builder.implement(Carrier.class)
                .defineMethod("wovenIn", int.class, Visibility.PUBLIC).intercept(FixedValue.value(2));
        }
    }

    static final class Nothing {
        @Advice.OnMethodEnter
        static void enter() { }
    }

    private static final class OneHook implements Adapter {
        private final Hook hook;

        OneHook(Hook hook) {
            this.hook = hook;
        }

        @Override
        public String name() {
            return "test";
        }

        @Override
        public List<Hook> hooks() {
            return List.of(hook);
        }

        @Override
        public List<Class<?>> ownClasses() {
            return List.of();
        }

        @Override
        public void prepare(Start start) { }
    }
}
