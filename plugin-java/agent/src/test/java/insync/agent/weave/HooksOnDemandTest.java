package insync.agent.weave;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Hooks that are woven into loaded classes: what the JVM refuses is never taken for woven. */
class HooksOnDemandTest {
    private final FakeInstrumentation jvm = new FakeInstrumentation();
    private final Hook hook = new Hook(WeaverTest.Plain.class.getName(), "itsOwn", WeaverTest.Nothing.class);
    private List<String> unknown = List.of();
    private final TypeHooks none = new TypeHooks(WeaverTest.Plain.class.getName());
    private final HooksOnDemand hooks =
        new HooksOnDemand(new Weaver(new WeaverTest.OneType(none))::add, jvm.proxy(), asked -> unknown);

    @ParameterizedTest
    @ValueSource(classes = {UnsupportedOperationException.class, InternalError.class, VerifyError.class})
    void aRefusalNamesTheHookAndTheSetting(Class<? extends Throwable> kind) throws Exception {
        jvm.refusal = kind.getConstructor().newInstance();
        IllegalStateException refused =
            assertThrows(IllegalStateException.class, () -> hooks.weave(List.of(hook), "x=true"));
        assertTrue(refused.getMessage().startsWith("cannot weave [" + hook + "] for x=true: " + kind.getName()),
            refused.getMessage());
    }

    @Test
    void aRefusedHookCanBeWovenLater() {
        jvm.refusal = new UnsupportedOperationException();
        assertThrows(IllegalStateException.class, () -> hooks.weave(List.of(hook), "x=true"));
        jvm.refusal = null;
        jvm.retransformed.clear();
        hooks.weave(List.of(hook), "x=true");
        assertEquals(List.of(WeaverTest.Plain.class), jvm.retransformed);
    }

    @Test
    void anUnknownMethodKeepsOnlyTheFeatureThatNeedsIt() {
        unknown = List.of("kafka.Log.append()V");
        IllegalStateException refused =
            assertThrows(IllegalStateException.class, () -> hooks.weave(List.of(hook), "x=true"));
        assertTrue(refused.getMessage().contains("x=true: methods that differ from every known build: kafka.Log.append()V"),
            refused.getMessage());
        assertEquals(List.of(), jvm.retransformed);
    }

    @Test
    void aHookIsWovenOnce() {
        hooks.weave(List.of(hook), "x=true");
        hooks.weave(List.of(hook), "y=true");
        assertEquals(List.of(WeaverTest.Plain.class), jvm.retransformed);
    }
}
