package insync.core.events;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** Records events as the JSON objects that become their lines; "type" is their first field. */
public final class RecordedEvents extends EventLog {
    private static final Gson GSON = new GsonBuilder().serializeNulls().create();
    public final List<JsonObject> all = new CopyOnWriteArrayList<>();

    @Override
    public boolean isOn() {
        return true;
    }

    @Override
    public void emit(String type, Map<String, Object> fields) {
        Map<String, Object> event = fields("type", type);
        event.putAll(fields);
        all.add(GSON.toJsonTree(event).getAsJsonObject());
    }
}
