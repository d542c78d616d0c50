package insync.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Parses the options after -javaagent:...=, and refuses others with their name and value. */
class AgentOptionsTest {

    @Test
    void emptyOptionsMeanDefaults() throws Exception {
        AgentOptions options = AgentOptions.parse(null);
        assertNull(options.eventsFile());
        assertEquals(104_857_600, options.eventsMaxBytes());
        assertEquals(5, options.eventsFiles());
        assertNull(options.bridgeFile());
        assertNull(options.cacheFolder());
        assertTrue(options.runStockWhenUnsupported());
        assertEquals("off", options.defaultScope());
        assertEquals("off", options.defaultLogStart());
        assertEquals(AgentOptions.NEVER, options.defaultStepDownMs());
        assertFalse(options.pausePoints());
    }

    @Test
    void allOptions() throws Exception {
        AgentOptions options = AgentOptions.parse("events=/a/e.jsonl,bridge=/a/b.json,on-unsupported=fail,"
            + "default-scope=request,default-log-start=both,default-step-down=500,pause-points=on,cache=/a/c,"
            + "events-max-bytes=4096,events-files=2");
        assertEquals("/a/e.jsonl", options.eventsFile().toString());
        assertEquals(4_096, options.eventsMaxBytes());
        assertEquals(2, options.eventsFiles());
        assertEquals("/a/b.json", options.bridgeFile().toString());
        assertEquals("/a/c", options.cacheFolder().toString());
        assertFalse(options.runStockWhenUnsupported());
        assertEquals("request", options.defaultScope());
        assertEquals("both", options.defaultLogStart());
        assertEquals(500, options.defaultStepDownMs());
        assertTrue(options.pausePoints());
    }

    @Test
    void holdsIsAnOlderNameOfPausePoints() throws Exception {
        assertTrue(AgentOptions.parse("holds=on").pausePoints());
        assertFalse(AgentOptions.parse("holds=off").pausePoints());
    }

    @Test
    void aWrongOptionIsNamed() {
        for (String wrong : new String[] {"on-unsupported=perhaps", "colour=red", "default-scope=all", "default-scope=",
                "default-log-start=all", "default-step-down=0", "default-step-down=12345678901", "default-step-down=-1",
                "events-max-bytes=4095", "events-max-bytes=1e9", "events-max-bytes=9999999999999999999", "events-files=1",
                "events-files=1001", "events-files=", "pause-points=", "holds=", "events=", "cache=", "bridge"}) {
            AgentException refused = assertThrows(AgentException.class, () -> AgentOptions.parse(wrong));
            assertTrue(refused.getMessage().contains(wrong), refused.getMessage());
            assertTrue(refused.getMessage().contains("expected"), refused.getMessage());
        }
    }

    /** Any text is either parsed, or refused with what was expected. */
    @Test
    void anyTextIsParsedOrRefused() {
        String[] parts = {"events", "bridge", "on-unsupported", "stock", "unknown-methods", "default-scope", "request",
            "pause-points", "on", "=", "=", ",", "/a", "\0", "\n", "\ud800", " ", "\"", "%s", "é"};
        Random random = new Random(11);
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder();
            for (int part = random.nextInt(8); part > 0; part--) {
                text.append(parts[random.nextInt(parts.length)]);
            }
            try {
                AgentOptions.parse(text.toString());
            } catch (AgentException error) {
                refused++;
                assertTrue(error.getMessage().contains("expected"), error.getMessage());
            }
        }
        assertTrue(refused > 10_000, "refused " + refused);
    }
}
