package insync.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Parses the options after -javaagent:...=, and refuses others with their name and value. */
public class AgentOptionsTest {

    /** Does not load what the option lab names. */
    private static AgentOptions parse(String text) throws AgentException {
        return AgentOptions.parse(text, jar -> {
            throw new AgentException("lab=" + jar);
        });
    }

    @Test
    void emptyOptionsMeanDefaults() throws Exception {
        AgentOptions options = parse(null);
        assertTrue(options.extension.isNone());
        assertTrue(options.runsStockWhenUnsupported);
        assertFalse(options.allowsUnknownMethods);
    }

    @Test
    void allOptions() throws Exception {
        AgentOptions options = parse("on-unsupported=fail,unknown-methods=allow");
        assertFalse(options.runsStockWhenUnsupported);
        assertTrue(options.allowsUnknownMethods);
    }

    @Test
    void theLabIsLoadedBeforeItsOptionsAreRead() {
        AgentException loads = assertThrows(AgentException.class, () -> parse("events=/a,lab=/lab.jar"));
        assertEquals("lab=/lab.jar", loads.getMessage());
    }

    @Test
    void withoutTheLabItsOptionsAreUnknown() {
        for (String ofLab : new String[] {"events=/a", "events-files=2", "bridge=/a", "cache=/a", "pause-points=on", "default.insync.scope=read"}) {
            AgentException refused = assertThrows(AgentException.class, () -> parse(ofLab));
            assertTrue(refused.getMessage().contains(ofLab + ": unknown option"), refused.getMessage());
            assertTrue(refused.getMessage().contains("lab=FILE"), refused.getMessage());
        }
    }

    @Test
    void aWrongOptionIsNamed() {
        for (String wrong : new String[] {"on-unsupported=perhaps", "unknown-methods=", "colour=red", "lab"}) {
            AgentException refused = assertThrows(AgentException.class, () -> parse(wrong));
            assertTrue(refused.getMessage().contains(wrong), refused.getMessage());
            assertTrue(refused.getMessage().contains("expected"), refused.getMessage());
        }
    }

    /** Any text is either parsed, or refused with what was expected. */
    @Test
    void anyTextIsParsedOrRefused() {
        String[] parts = {"events", "bridge", "on-unsupported", "stock", "unknown-methods", "default-scope", "request",
            "pause-points", "on", "=", "=", ",", "/a", "\0", "\n", "\ud800", " ", "\"", "%s", "é"};
        anyTextIsParsedOrRefused(parts, AgentOptionsTest::parse);
    }

    /** A parser of options. */
    public interface Parser {
        Object parse(String text) throws AgentException;
    }

    /** Makes texts of these parts; each is either parsed, or refused with what was expected. */
    public static void anyTextIsParsedOrRefused(String[] parts, Parser parser) {
        Random random = new Random(11);
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder();
            for (int part = random.nextInt(8); part > 0; part--) {
                text.append(parts[random.nextInt(parts.length)]);
            }
            try {
                parser.parse(text.toString());
            } catch (AgentException error) {
                refused++;
                assertTrue(error.getMessage().contains("expected"), error.getMessage());
            }
        }
        assertTrue(refused > 10_000, "refused " + refused);
    }
}
