package insync.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** An event line is JSON, with the fields that the harness reads. */
class LineTest {
    private static final Plan PLAN = new Plan(Map.of("v", "1", "arm", "stock", "repeat", "0", "topic", "t-r0"));

    @Test
    void aLineBeginsWithItsKindAndEndsWithItsClient() {
        String line = new Line("produce", PLAN).put("partition", 3).put("offset", (Long) null)
                .put("idempotent", true).put("error", (String) null).end();
        assertEquals("produce {\"v\":1,\"arm\":\"stock\",\"repeat\":0,\"topic\":\"t-r0\",\"partition\":3,"
                + "\"offset\":null,\"idempotent\":true,\"error\":null,\"client\":\"java\"}", line);
    }

    @Test
    void timesAreMillisecondsWithThreeDigits() {
        String line = new Line("x", PLAN).putMicros("a", 1_764_000_000_123_045L).putMicros("b", -7L)
                .putMicros("c", null).end();
        assertEquals(",\"a\":1764000000123.045,\"b\":-0.007,\"c\":null,\"client\":\"java\"}",
                line.substring(line.indexOf(",\"a\"")));
    }

    @Test
    void aTextIsQuoted() {
        String line = new Line("x", PLAN).put("error", "a \"b\" \\ \n").end();
        assertEquals("\"a \\\"b\\\" \\\\ \\u000a\"", line.substring(line.indexOf("error") + 7, line.indexOf(",\"client")));
    }
}
