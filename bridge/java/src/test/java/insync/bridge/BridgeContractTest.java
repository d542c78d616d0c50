package insync.bridge;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import insync.bridge.pausepoints.PausePoints;
import insync.core.Insync;
import insync.core.events.EventLog;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.TreeSet;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares the Java side with bridge/contract/bridge-api.json; tests/contract compares the Python side. */
class BridgeContractTest {
    @TempDir
    Path folder;
    private JsonObject contract;
    private BridgeService service;

    @BeforeEach
    void read() throws Exception {
        contract = JsonParser.parseString(Files.readString(Paths.get(System.getProperty("insync.contract"))))
            .getAsJsonObject();
        service = new BridgeService(new FakeBroker(contract.getAsJsonObject("answers")), new Insync(new EventLog()),
            new PausePoints());
    }

    @Test
    void methodsAreThoseOfTheContract() {
        assertEquals(contract.get("api_version").getAsInt(), service.apiVersion());
        JsonObject methods = new JsonObject();
        for (Method method : BridgeApi.class.getMethods()) {
            JsonArray arguments = new JsonArray();
            for (Class<?> type : method.getParameterTypes()) {
                arguments.add(type.getSimpleName());
            }
            JsonObject one = new JsonObject();
            one.add("arguments", arguments);
            one.addProperty("returns", method.getReturnType().getSimpleName());
            methods.add(method.getName(), one);
        }
        assertEquals(contract.getAsJsonObject("methods"), methods);
    }

    @Test
    void countersHaveTheFieldsOfTheContract() {
        JsonObject expected = answer("counters").getAsJsonObject();
        JsonObject found = JsonParser.parseString(service.counters()).getAsJsonObject();
        assertEquals(new TreeSet<>(expected.keySet()), new TreeSet<>(found.keySet()));
        expected = expected.getAsJsonObject("step_downs");
        found = found.getAsJsonObject("step_downs");
        assertEquals(new TreeSet<>(expected.keySet()), new TreeSet<>(found.keySet()));
        assertEquals(new TreeSet<>(expected.getAsJsonObject("withheld_by").keySet()),
            new TreeSet<>(found.getAsJsonObject("withheld_by").keySet()));
    }

    @Test
    void aPartitionThatIsNotLedIsNull() {
        assertEquals("null", service.replicas("other", 0));
    }

    @Test
    void onlyTheOwnerCanReadTheConnectionFile() throws Exception {
        Path file = folder.resolve("bridge-1.json");
        BridgeServer.start(BridgeApi.class, service, BridgeService.API_VERSION, 1, file, new LongAdder());
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        JsonArray fields = new JsonArray();
        JsonParser.parseString(Files.readString(file)).getAsJsonObject().keySet().forEach(fields::add);
        assertEquals(contract.getAsJsonArray("connection_file"), fields);
        try (var left = Files.list(folder)) {
            assertEquals(1, left.count(), "no partial file is left");
        }
    }

    private JsonElement answer(String method) {
        return contract.getAsJsonObject("answers").get(method);
    }
}
