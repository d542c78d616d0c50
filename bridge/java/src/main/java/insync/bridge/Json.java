package insync.bridge;

import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.reflect.Array;
import java.util.Map;

/** Writes a value as one line of JSON. Gson's own mapper loads a hundred classes, which is 70 ms of CPU time at the start of a broker. */
public final class Json {
    private Json() { }

    /**
     * @param value null, a number, a boolean, a map, a collection or an array of such; anything else is written as its text
     * @throws IllegalArgumentException for a number that JSON does not have
     */
    public static String of(Object value) {
        StringWriter line = new StringWriter();
        try {
            write(value, new JsonWriter(line));
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return line.toString();
    }

    private static void write(Object value, JsonWriter out) throws IOException {
        if (value == null) {
            out.nullValue();
        } else if (value instanceof Number) {
            out.value((Number) value);
        } else if (value instanceof Boolean) {
            out.value((Boolean) value);
        } else if (value instanceof Map) {
            out.beginObject();
            for (Map.Entry<?, ?> each : ((Map<?, ?>) value).entrySet()) {
                out.name(String.valueOf(each.getKey()));
                write(each.getValue(), out);
            }
            out.endObject();
        } else if (value instanceof Iterable) {
            out.beginArray();
            for (Object each : (Iterable<?>) value) {
                write(each, out);
            }
            out.endArray();
        } else if (value.getClass().isArray()) {
            out.beginArray();
            for (int i = 0; i < Array.getLength(value); i++) {
                write(Array.get(value, i), out);
            }
            out.endArray();
        } else {
            out.value(value.toString());
        }
    }
}
