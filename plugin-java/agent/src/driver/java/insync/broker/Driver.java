package insync.broker;

import insync.bridge.BridgeServer;
import insync.bridge.BridgeService;
import insync.bridge.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * Serves the {@link DriverApi} to the differential model over the bridge. Ends when its standard input ends.
 * One broker per scope runs as long as the JVM; each test uses a topic of it.
 */
public final class Driver implements DriverApi {
    /** The bridge's clients start and stop the driver's work. */
    private static final int API_VERSION = BridgeService.API_VERSION;
    private static final List<String> SCOPES = List.of("off", "read", "request");

    private final Map<String, DrivenBroker> brokers = new HashMap<>();
    private DrivenBroker broker;

    private Driver(Path folder) throws Exception {
        for (String scope : SCOPES) {
            // Ids that are not followers.
            int id = 1_001 + SCOPES.indexOf(scope);
            broker = new DrivenBroker(id, scope, Files.createDirectory(folder.resolve("broker-" + id)));
            brokers.put(scope, broker);
            // Runs slow first-time work now, and not in an operation that a client waits for.
            broker.open();
            broker.close();
        }
    }

    /** @param arguments a folder for logs, and the connection file to write */
    public static void main(String[] arguments) throws Exception {
        BridgeServer.start(DriverApi.class, new Driver(Paths.get(arguments[0])), API_VERSION, 0, Paths.get(arguments[1]),
            new LongAdder());
        while (System.in.read() >= 0) {
            // Waits for the end of the input.
        }
        System.exit(0);
    }

    @Override
    public int apiVersion() {
        return API_VERSION;
    }

    @Override
    public String open(String scope) {
        return after(() -> {
            broker = brokers.get(scope);
            broker.open();
        });
    }

    @Override
    public String append(int partition, int records, int readMs) {
        return reading(readMs, () -> broker.topic().append(partition, records));
    }

    @Override
    public String elect(int partition, String inSync) {
        List<Integer> ids = new ArrayList<>();
        for (String id : inSync.isEmpty() ? new String[0] : inSync.split(" ")) {
            ids.add(Integer.valueOf(id));
        }
        return reading(0, () -> broker.topic().elect(partition, ids));
    }

    @Override
    public String resign(int partition) {
        return reading(0, () -> broker.topic().resign(partition));
    }

    @Override
    public String restart(int follower) {
        return after(() -> broker.restart(follower));
    }

    @Override
    public String arrive(String connection, int follower, int brokerEpoch, int thread, String wanted) {
        return after(() -> broker.arrive(connection, follower, brokerEpoch, thread, wanted));
    }

    @Override
    public String serve(String connection, int readMs) {
        return reading(readMs, () -> broker.serve(connection));
    }

    @Override
    public String expire(String connection, int readMs) {
        return reading(readMs, () -> broker.expire(connection));
    }

    @Override
    public String offer(String connection, String outcome) {
        return after(() -> broker.connection(connection).offer(outcome));
    }

    @Override
    public String leave(String connection, String outcome) {
        return after(() -> broker.connection(connection).leave(outcome));
    }

    @Override
    public String settle(String connection) {
        return after(() -> broker.connection(connection).settle());
    }

    @Override
    public String disconnect(String connection) {
        return after(() -> broker.connection(connection).disconnect());
    }

    @Override
    public String pass(int ms) {
        return after(() -> broker.pass(ms));
    }

    @Override
    public String freeze(int ms) {
        return after(() -> broker.freeze(ms));
    }

    @Override
    public String close() {
        return after(() -> broker.close());
    }

    private String reading(int readMs, Step step) {
        broker.readsTake(readMs);
        return after(step);
    }

    private String after(Step step) {
        try {
            step.take();
        } catch (Exception failed) {
            failed.printStackTrace();
            throw new IllegalStateException(failed);
        }
        return Json.of(broker.answer());
    }

    /** One operation. */
    private interface Step {
        void take() throws Exception;
    }
}
