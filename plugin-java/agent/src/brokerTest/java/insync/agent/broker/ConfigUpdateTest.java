package insync.agent.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** An update of the configs is applied as far as it can be, and what failed can be repeated. */
@EnabledIfSystemProperty(named = "insync.jvm", matches = "woven")
class ConfigUpdateTest {
    private final List<String> done = new ArrayList<>();

    @Test
    void aStepThatFailsDoesNotKeepTheOthers() {
        List<Throwable> failures = new ArrayList<>();
        assertFalse(BrokerLifecycle.apply(List.of(
            () -> {
                throw new IllegalStateException("cannot weave");
            },
            () -> done.add("scopes"),
            () -> done.add("step-down")), failures::add));
        assertEquals(List.of("scopes", "step-down"), done);
        assertEquals("cannot weave", failures.get(0).getMessage());
    }

    @Test
    void anUpdateWithoutFailuresIsDone() {
        assertTrue(BrokerLifecycle.apply(List.of(() -> done.add("scopes")), failed -> { }));
    }
}
