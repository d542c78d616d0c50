package insync.agent.weave;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.yammer.metrics.core.MetricsRegistry;
import insync.agent.Adapter;
import insync.agent.AgentException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.loading.ByteArrayClassLoader;
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

    @Test
    void aClassThatAnotherAgentHasLoadedIsNamedAndNothingIsWoven() throws Exception {
        FakeInstrumentation jvm = new FakeInstrumentation();
        jvm.loaded = new Class<?>[] {Plain.class};
        List<String> problems = weave(jvm);
        assertEquals(List.of(Plain.class.getName() + " was loaded before this agent started; expected this -javaagent first"),
            problems);
        assertEquals(List.of(), jvm.transformers, "the broker is as it was");
    }

    @Test
    void aBrokerThatIsWovenInPartMustNotRun() {
        // The JVM does not list the class, so the weaver goes on and then finds that it got no bytes.
        AgentException refused = assertThrows(AgentException.class,
            () -> weave(new FakeInstrumentation()));
        assertTrue(refused.getMessage().startsWith("woven in part, so the broker must not run: " + Plain.class.getName()),
            refused.getMessage());
    }

    @Test
    void theChangesOfAnEarlierAgentStay() throws Exception {
        byte[] changed = new ByteBuddy().redefine(Plain.class)
            .defineMethod("ofAnotherAgent", int.class, Visibility.PUBLIC).intercept(FixedValue.value(3)).make().getBytes();
        FakeInstrumentation jvm = new FakeInstrumentation();
        jvm.loads = Map.of(Plain.class.getName(), changed);
        assertEquals(List.of(), weave(jvm));
        byte[] woven = jvm.given.get(Plain.class.getName());
        Class<?> loaded = new ByteArrayClassLoader.ChildFirst(Plain.class.getClassLoader(), Map.of(Plain.class.getName(), woven),
            ByteArrayClassLoader.PersistenceHandler.MANIFEST).loadClass(Plain.class.getName());
        Constructor<?> constructor = loaded.getDeclaredConstructor();
        constructor.setAccessible(true);
        Object made = constructor.newInstance();
        assertEquals(3, call(made, "ofAnotherAgent"));
        int before = Counted.calls;
        call(made, "itsOwn");
        assertEquals(before + 1, Counted.calls, "and the hook is there");
    }

    private static Object call(Object made, String name) throws Exception {
        Method method = made.getClass().getMethod(name);
        method.setAccessible(true);
        return method.invoke(made);
    }

    private static List<String> problems(String method) {
        List<String> problems = new ArrayList<>();
        new Weaver(new OneType(new PlainHooks(method))).make(true, problems);
        return problems;
    }

    private static List<String> weave(FakeInstrumentation jvm) throws AgentException {
        Weaver weaver = new Weaver(new OneType(oneHook()));
        List<String> problems = new ArrayList<>();
        WovenBroker woven = weaver.make(true, problems);
        assertEquals(List.of(), problems);
        return woven.install(weaver::makeFrom, jvm.proxy());
    }

    static TypeHooks oneHook() {
        return new TypeHooks(Plain.class.getName()).on("itsOwn", Counted.class);
    }

    /** Counts calls. */
    public static final class Counted {
        public static int calls;

        @Advice.OnMethodEnter
        static void enter() {
            calls++;
        }
    }

    private static final class PlainHooks extends TypeHooks {
        PlainHooks(String method) {
            super(Plain.class.getName());
            on(method, Nothing.class);
            implement(Carrier.class);
            method("wovenIn", int.class, FixedValue.value(2));
        }
    }

    static final class Nothing {
        @Advice.OnMethodEnter
        static void enter() { }
    }

    /** An adapter with one woven type. */
    static final class OneType extends Adapter {
        private final TypeHooks type;

        OneType(TypeHooks type) {
            super("test", null, null);
            this.type = type;
        }

        @Override
        public List<TypeHooks> types() {
            return List.of(type);
        }

        @Override
        public MetricsRegistry metrics() {
            return null;
        }
    }
}
