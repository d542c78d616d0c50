package insync.bridge;

import insync.bridge.NarrowConnection.NarrowEntry;
import insync.bridge.pausepoints.PausePoints;
import insync.core.Insync;
import insync.core.events.EventLog;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.concurrent.atomic.LongAdder;
import javax.net.ServerSocketFactory;
import py4j.CallbackClient;
import py4j.Gateway;
import py4j.GatewayServer;
import py4j.Py4JServerConnection;

/**
 * Runs a py4j gateway in a JVM: on a free port of one address, with a token, and only for calls of one interface (see
 * {@link NarrowConnection}); in a broker that is {@link BridgeApi}.
 */
public final class BridgeServer {
    /** System property with the address to bind to instead of loopback, for example a container's interface. */
    public static final String ADDRESS_PROPERTY = "insync.bridge.address";
    /** System property without which an address that is not loopback is refused: the token is sent unencrypted. */
    public static final String UNENCRYPTED_PROPERTY = "insync.bridge.unencrypted";
    private static final int TOKEN_BYTES = 32;

    private BridgeServer() { }

    /**
     * Opens the bridge on a daemon thread. A failure is counted and printed, and does not affect the broker.
     *
     * @param connectionFile written when the port is open; see {@link ConnectionFile}
     */
    public static void startInBackground(BrokerView broker, Insync insync, PausePoints pausePoints, Path connectionFile) {
        Thread starter = new Thread(() -> {
            try {
                BridgeService service = new BridgeService(broker, insync, pausePoints);
                start(BridgeApi.class, service, BridgeService.API_VERSION, broker.brokerId(), connectionFile, service.refused);
                insync.events.emit("bridge_open", EventLog.fields("broker", broker.brokerId()));
            } catch (IOException | RuntimeException failure) {
                insync.failures.record("bridge", failure);
            }
        }, "insync-bridge");
        starter.setDaemon(true);
        starter.start();
    }

    /**
     * Opens a gateway to one object, which lives as long as the JVM, and writes its connection file. The file is removed when
     * the JVM ends, unless it is killed.
     *
     * @param api the interface whose methods may be called; they return primitives or texts
     * @param target the object on which they are called
     * @param apiVersion version of the interface, which a client checks first
     * @param broker id of the object's broker
     * @param refused counts the connections that exceed a bound, see {@link BoundedServerSocket}
     * @throws IOException if the address is refused or the connection file cannot be written; the gateway is then closed
     */
    public static <T> void start(Class<T> api, T target, int apiVersion, int broker, Path connectionFile,
                                 LongAdder refused) throws IOException {
        InetAddress address = address();
        String token = newToken();
        // py4j prints the stack trace of each connection that ends in an error. Refusals are counted instead.
        GatewayServer.turnLoggingOff();
        GatewayServer gateway = new GatewayServer(new Gateway(new NarrowEntry(api, target), new CallbackClient(0)), 0, address,
                GatewayServer.DEFAULT_CONNECT_TIMEOUT, GatewayServer.DEFAULT_READ_TIMEOUT, null, new BoundedSockets(refused)) {
            @Override
            protected Py4JServerConnection createConnection(Gateway of, Socket socket) throws IOException {
                NarrowConnection made = new NarrowConnection(of, socket, token, getListeners());
                made.startConnection();
                return made;
            }
        };
        gateway.start(true);
        try {
            ConnectionFile.write(connectionFile, EventLog.fields("api_version", apiVersion, "broker", broker,
                "host", address.getHostAddress(), "port", gateway.getListeningPort(), "token", token,
                "pid", ProcessHandle.current().pid()));
        } catch (IOException unwritable) {
            gateway.shutdown();
            throw unwritable;
        }
        Runtime.getRuntime().addShutdownHook(
            new Thread(() -> ConnectionFile.remove(connectionFile, token), "insync-bridge-file"));
    }

    private static InetAddress address() throws IOException {
        String wanted = System.getProperty(ADDRESS_PROPERTY);
        InetAddress address = wanted == null ? InetAddress.getLoopbackAddress() : InetAddress.getByName(wanted);
        if (!address.isLoopbackAddress() && !Boolean.getBoolean(UNENCRYPTED_PROPERTY)) {
            throw new IOException(ADDRESS_PROPERTY + "=" + wanted + ": expected a loopback address, because the token is sent"
                + " unencrypted; on a network that only you reach add -D" + UNENCRYPTED_PROPERTY + "=true");
        }
        return address;
    }

    private static String newToken() {
        byte[] random = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(random);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    }

    /** Makes the server sockets of py4j. */
    private static final class BoundedSockets extends ServerSocketFactory {
        private final LongAdder refused;

        BoundedSockets(LongAdder refused) {
            this.refused = refused;
        }

        @Override
        public ServerSocket createServerSocket() throws IOException {
            return new BoundedServerSocket(refused);
        }

        @Override
        public ServerSocket createServerSocket(int port) throws IOException {
            return createServerSocket(port, 0, null);
        }

        @Override
        public ServerSocket createServerSocket(int port, int backlog) throws IOException {
            return createServerSocket(port, backlog, null);
        }

        @Override
        public ServerSocket createServerSocket(int port, int backlog, InetAddress address) throws IOException {
            ServerSocket made = createServerSocket();
            made.bind(new InetSocketAddress(address, port), backlog);
            return made;
        }
    }
}
