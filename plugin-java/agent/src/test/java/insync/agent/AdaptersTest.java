package insync.agent;

import static java.util.Map.entry;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Each broker version gets its adapter from the table. */
class AdaptersTest {
    /** Adapters that do not have all scopes. */
    private static final Map<String, List<String>> SCOPES = Map.of("v1_1", List.of(), "v2_8", List.of("read"));

    /** A row without code, or with another name than its code, would otherwise fail only on a broker of that version. */
    @Test
    void everyRowHasItsAdapterAndItsScopes() throws Exception {
        Adapters table = new Adapters();
        for (String name : table.names()) {
            Adapter adapter = Adapters.load(name);
            assertEquals(name, adapter.name);
            assertEquals(SCOPES.getOrDefault(name, List.of("read", "request")), table.listed(name, ".scopes"));
        }
    }

    @Test
    void testedVersionsHaveTheirAdapter() throws Exception {
        Adapters table = new Adapters();
        List<String> problems = new ArrayList<>();
        Map<String, String> adapters = Map.ofEntries(entry("1.1.1", "v1_1"), entry("2.8.0", "v2_8"), entry("2.8.2", "v2_8"),
            entry("3.6.2", "v3_6"), entry("3.7.2", "v3_7"), entry("3.8.1", "v3_7"), entry("3.9.2", "v3_7"), entry("4.0.2", "v4_0"),
            entry("4.1.7", "v4_1"), entry("4.2.1", "v4_2"), entry("4.3.1", "v4_2"), entry("4.4.0", "v4_2"),
            entry("4.4.1-SNAPSHOT", "v4_2"));
        adapters.forEach((version, adapter) -> assertEquals(adapter, table.pick(version, problems).name, version));
        assertEquals(List.of(), problems);
        assertTrue(table.isTested("4.0.2"));
        assertFalse(table.isTested("4.0.1"));
        assertFalse(table.isTested("4.2.1"), "a test weaves and links it, but none runs it");
        assertFalse(table.isTested(""));
    }

    @Test
    void otherVersionsAreRefusedWithTheSupportedRanges() throws Exception {
        for (String version : new String[] {"1.0.2", "1.2.0", "2.7.2", "3.0.0", "3.5.2", "5.0.0", "5.0.0", "unknown"}) {
            List<String> problems = new ArrayList<>();
            assertNull(new Adapters().pick(version, problems));
            assertTrue(problems.get(0).contains("4.2.0 to below 5.0.0"), problems.toString());
        }
    }
}
