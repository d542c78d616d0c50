package insync.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import insync.agent.AgentException;
import insync.agent.AgentOptions;
import insync.agent.AgentOptionsTest;
import insync.agent.isr.PendingReadsConfig;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.Test;

/** Parses the lab's options among those of the agent, and refuses others with their name and value. */
class LabOptionsTest {

    private static LabOptions parse(String text) throws AgentException {
        return ((Lab) AgentOptions.parse("lab=/lab.jar" + text, jar -> new Lab()).extension).options;
    }

    @Test
    void emptyOptionsMeanDefaults() throws Exception {
        LabOptions options = parse("");
        assertNull(options.eventsFile);
        assertEquals(104_857_600, options.eventsMaxBytes);
        assertEquals(5, options.eventsFiles);
        assertNull(options.bridgeFile);
        assertNull(options.cacheFolder);
        assertFalse(options.pausePoints);
    }

    @Test
    void allOptions() throws Exception {
        LabOptions options = parse(",events=/a/e.jsonl,bridge=/a/b.json,on-unsupported=fail,pause-points=on,cache=/a/c,"
            + "events-max-bytes=4096,events-files=2,default.insync.scope=read,default.a.b=1");
        assertEquals("/a/e.jsonl", options.eventsFile.toString());
        assertEquals(4_096, options.eventsMaxBytes);
        assertEquals(2, options.eventsFiles);
        assertEquals("/a/b.json", options.bridgeFile.toString());
        assertEquals("/a/c", options.cacheFolder.toString());
        assertTrue(options.pausePoints);
        assertEquals(Map.of("insync.scope", "read", "a.b", "1"), options.defaults);
    }

    @Test
    void aDefaultReplacesTheAgentsAndIsChecked() throws Exception {
        assertEquals("read", redefined("insync.scope=read").defaultValues().get("insync.scope"));
        for (String wrong : new String[] {"insync.scope=all", "colour=red"}) {
            ConfigException refused = assertThrows(ConfigException.class, () -> redefined(wrong));
            assertTrue(refused.getMessage().contains(wrong.substring(0, wrong.indexOf('='))), refused.getMessage());
        }
    }

    private static ConfigDef redefined(String option) throws AgentException {
        ConfigDef definition = new ConfigDef();
        PendingReadsConfig.define(definition, List.of("read", "request"));
        parse(",default." + option).defaults.forEach((name, value) -> Lab.redefine(definition, name, value));
        return definition;
    }

    @Test
    void aWrongOptionIsNamed() {
        for (String wrong : new String[] {"colour=red", "events-max-bytes=4095", "events-max-bytes=1e9",
                "events-max-bytes=9999999999999999999", "events-files=1", "events-files=1001", "events-files=", "pause-points=",
                "holds=", "events=", "cache=", "bridge"}) {
            AgentException refused = assertThrows(AgentException.class, () -> parse("," + wrong));
            assertTrue(refused.getMessage().contains(wrong), refused.getMessage());
            assertTrue(refused.getMessage().contains("expected"), refused.getMessage());
        }
    }

    /** Any text is either parsed, or refused with what was expected. */
    @Test
    void anyTextIsParsedOrRefused() {
        String[] parts = {"events", "bridge", "on-unsupported", "stock", "unknown-methods", "default.insync.scope", "request",
            "pause-points", "on", "=", "=", ",", "/a", "\0", "\n", "\ud800", " ", "\"", "%s", "é"};
        AgentOptionsTest.anyTextIsParsedOrRefused(parts, text -> parse("," + text));
    }
}
