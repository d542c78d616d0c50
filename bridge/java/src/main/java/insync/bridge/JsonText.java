package insync.bridge;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;

/** Converts values to JSON texts, nulls included. */
public final class JsonText {
    private static final Gson GSON = new GsonBuilder().serializeNulls().create();

    private JsonText() { }

    /** @param value maps, lists, texts, numbers, booleans or null */
    public static String of(Object value) {
        return GSON.toJson(value);
    }
}
