package insync.bridge;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import insync.bridge.pausepoints.PausePoints;
import insync.core.Insync;
import insync.core.events.EventLog;
import java.nio.file.Files;
import java.nio.file.Paths;

/**
 * Serves the bridge over a fake broker to the Python contract tests. Ends when its standard input ends.
 */
public final class NarrowServer {

    private NarrowServer() { }

    /** @param arguments the contract's golden file, and the connection file to write */
    public static void main(String[] arguments) throws Exception {
        JsonObject contract = JsonParser.parseString(Files.readString(Paths.get(arguments[0]))).getAsJsonObject();
        FakeBroker broker = new FakeBroker(contract.getAsJsonObject("answers"));
        BridgeService service = new BridgeService(broker, new Insync(new EventLog()), new PausePoints());
        BridgeServer.start(BridgeApi.class, service, BridgeService.API_VERSION, 1, Paths.get(arguments[1]), service.refused);
        while (System.in.read() >= 0) {
            // Waits for the end of the input.
        }
        System.exit(0);
    }
}
