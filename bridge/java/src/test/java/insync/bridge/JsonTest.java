package insync.bridge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import insync.core.events.EventLog;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** A value is written as Gson's own mapper writes it. */
class JsonTest {
    private static final Gson MAPPER = new GsonBuilder().disableHtmlEscaping().serializeNulls().create();

    @Test
    void isWhatGsonWrites() throws Exception {
        Map<String, Object> event = EventLog.fields("v", 1, "t_ms", 1_700_000_000_000L, "topic", "a\"b\n<&'=\u2028\u00e9",
            "share", 0.1, "whole", 2.0, "on", true, "nothing", null, "isr", new TreeSet<>(List.of(2, 1)),
            "followers", List.of(EventLog.fields("replica", 3, "pending", List.of()), List.of("x")), "empty", Map.of(),
            "ids", new int[] {3, 1}, "names", new String[] {"x", null});
        assertEquals(MAPPER.toJson(event), Json.of(event));
    }

    @Test
    void anythingElseIsItsText() throws Exception {
        assertEquals("{\"unit\":\"SECONDS\",\"mark\":\"x\"}",
            Json.of(EventLog.fields("unit", java.util.concurrent.TimeUnit.SECONDS, "mark", 'x')));
    }

    @Test
    void aNumberThatJsonDoesNotHaveIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> Json.of(Map.of("share", Double.NaN)));
        assertThrows(IllegalArgumentException.class, () -> Json.of(Map.of("share", Double.POSITIVE_INFINITY)));
    }
}
