package insync.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which broker version gets which adapter, by the one table. */
class AdaptersTest {

    @Test
    void testedVersionsHaveTheirAdapter() throws Exception {
        List<String> problems = new ArrayList<>();
        for (String version : new String[] {"4.3.1", "4.4.0", "4.3.0", "4.4.1-SNAPSHOT"}) {
            assertEquals("v4_3", Adapters.load().pick(version, problems).name());
        }
        assertEquals(List.of(), problems);
    }

    @Test
    void otherVersionsAreRefusedWithWhatIsKnown() throws Exception {
        for (String version : new String[] {"2.8.2", "4.2.9", "4.5.0", "5.0.0", "unknown"}) {
            List<String> problems = new ArrayList<>();
            assertNull(Adapters.load().pick(version, problems));
            assertTrue(problems.get(0).contains("4.3.0 to below 4.5.0"), problems.toString());
        }
    }
}
