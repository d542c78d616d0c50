package insync.bridge;

import insync.core.BrokerView;
import insync.core.Insync;
import insync.core.events.EventLog;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;
import py4j.GatewayServer;

/**
 * Runs a py4j gateway in a JVM: on a free port of one address, with a token, and only for calls of one interface (see
 * {@link NarrowCommands}); in a broker that is {@link BridgeApi}.
 */
public final class BridgeServer {
    /** System property with the address to bind to instead of loopback, for example a container's interface. */
    public static final String ADDRESS_PROPERTY = "insync.bridge.address";
    private static final int TOKEN_BYTES = 32;

    private BridgeServer() { }

    /**
     * Opens the bridge on a daemon thread. A failure is counted and printed, and does not affect the broker.
     *
     * @param connectionFile written when the port is open; see {@link ConnectionFile}
     */
    public static void startInBackground(BrokerView broker, Insync insync, Path connectionFile) {
        Thread starter = new Thread(() -> {
            try {
                start(BridgeApi.class, new BridgeService(broker, insync), BridgeService.API_VERSION, broker.brokerId(),
                    connectionFile);
                insync.events().emit("bridge_open", EventLog.fields("broker", broker.brokerId()));
            } catch (IOException | RuntimeException failure) {
                insync.failures().record("bridge", failure);
            }
        }, "insync-bridge");
        starter.setDaemon(true);
        starter.start();
    }

    /**
     * Opens a gateway to one object, which lives as long as the JVM, and writes its connection file.
     *
     * @param api the interface whose methods may be called; they return primitives or texts
     * @param target the object on which they are called
     * @param apiVersion version of the interface, which a client checks first
     * @param broker id of the object's broker
     * @throws IOException if the connection file cannot be written; the gateway is then closed
     */
    public static <T> void start(Class<T> api, T target, int apiVersion, int broker, Path connectionFile)
            throws IOException {
        InetAddress address = address();
        String token = newToken();
        GatewayServer gateway = new GatewayServer.GatewayServerBuilder(new NarrowEntry(api, target))
            .javaAddress(address).javaPort(0).authToken(token).customCommands(NarrowCommands.all()).build();
        gateway.start(true);
        try {
            ConnectionFile.write(connectionFile, EventLog.fields("api_version", apiVersion, "broker", broker,
                "host", address.getHostAddress(), "port", gateway.getListeningPort(), "token", token,
                "pid", ProcessHandle.current().pid()));
        } catch (IOException unwritable) {
            gateway.shutdown();
            throw unwritable;
        }
    }

    private static InetAddress address() throws UnknownHostException {
        String wanted = System.getProperty(ADDRESS_PROPERTY);
        return wanted == null ? InetAddress.getLoopbackAddress() : InetAddress.getByName(wanted);
    }

    private static String newToken() {
        byte[] random = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(random);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    }
}
