package insync.clients;

import java.time.Instant;
import java.util.Locale;

/** Builds one line of an event file: a JSON object on one line, after the name of its kind. */
final class Line {
    private final StringBuilder text = new StringBuilder(256);

    Line(String kind, Plan plan) {
        text.append(kind).append(" {\"v\":").append(plan.text("v"));
        put("arm", plan.text("arm")).put("repeat", plan.number("repeat")).put("topic", plan.text("topic"));
    }

    Line put(String name, long value) {
        return raw(name, Long.toString(value));
    }

    Line put(String name, Long value) {
        return raw(name, String.valueOf(value));
    }

    Line put(String name, boolean value) {
        return raw(name, Boolean.toString(value));
    }

    /** Adds a text; null stays null. */
    Line put(String name, String value) {
        return raw(name, value == null ? "null" : quoted(value));
    }

    /** Adds a time or a length of time, given in microseconds, as milliseconds; null stays null. */
    Line putMicros(String name, Long micros) {
        if (micros == null) {
            return raw(name, "null");
        }
        String sign = micros < 0 ? "-" : "";
        long value = Math.abs(micros);
        return raw(name, sign + value / 1000 + String.format(Locale.ROOT, ".%03d", value % 1000));
    }

    /** Returns the complete line; the client's name is its last field. */
    String end() {
        return put("client", "java").text.append('}').toString();
    }

    /** Returns this moment in microseconds since the epoch. */
    static long nowMicros() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1000;
    }

    private Line raw(String name, String value) {
        text.append(",\"").append(name).append("\":").append(value);
        return this;
    }

    /** Returns a text as JSON writes it. */
    static String quoted(String value) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char each : value.toCharArray()) {
            if (each == '"' || each == '\\') {
                quoted.append('\\').append(each);
            } else if (each < ' ') {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) each));
            } else {
                quoted.append(each);
            }
        }
        return quoted.append('"').toString();
    }
}
