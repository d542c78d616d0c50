package insync.agent.stepdown.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import insync.agent.stepdown.broker.ProcessorHooks.ProcessorCarrier;
import insync.core.Clock;
import insync.core.isr.FetchBody;
import insync.core.isr.LeaderClock;
import insync.core.isr.RequestScope;
import insync.core.isr.Stats;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.network.PlaintextChannelBuilder;
import org.apache.kafka.common.network.Selector;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Ends connections while their network thread is idle, on Kafka's real Selector and real sockets. The client
 * sees it at once, and the Selector removes and reports a connection that the client closed, as usual.
 */
@EnabledIfSystemProperty(named = "insync.jvm", matches = "woven")
class ConnectionCloserTest {
    private static final int AT_ONCE_MS = 10_000;
    private static final int NOT_MS = 200;

    private final RequestScope scope = scope();
    private final BlockingQueue<SocketChannel> accepted = new ArrayBlockingQueue<>(20);
    private ServerSocketChannel server;
    private Selector selector;

    @BeforeEach
    void open() throws Exception {
        server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        PlaintextChannelBuilder plain = new PlaintextChannelBuilder(new ListenerName("PLAINTEXT"));
        plain.configure(Map.of());
        selector = new Selector(-1, new Metrics(), Time.SYSTEM, "test", plain, new LogContext());
    }

    @AfterEach
    void close() throws Exception {
        selector.close();
        server.close();
    }

    @Test
    void clientsReadTheEndAtOnceAndTheSelectorFindsThemGone() throws Exception {
        try (Socket first = connected("first"); Socket second = connected("second")) {
            first.getOutputStream().write(new byte[] {0, 0, 0, 1});
            ConnectionCloser end = end();
            end.ofAll();
            assertEquals(2, end.count());
            assertEquals(Set.of("first", "second"), new HashSet<>(end.ids()));
            assertEnded(first);
            assertEnded(second);
            assertEquals(2, selector.channels().size(), "the Selector has not polled yet");
        }
        Set<String> gone = new HashSet<>();
        for (int polls = 0; gone.size() < 2 && polls < 100; polls++) {
            selector.poll(100);
            gone.addAll(selector.disconnected().keySet());
        }
        assertEquals(Set.of("first", "second"), gone, "so that quotas are released");
        assertTrue(selector.channels().isEmpty());
    }

    @Test
    void followersAreLeftAlone() throws Exception {
        try (Socket follower = connected("follower"); Socket client = connected("client")) {
            scope.connection("follower", 2, "User:broker", scope.networkThread());
            ConnectionCloser end = end();
            end.ofAll();
            assertEquals(1, end.count());
            assertOpen(follower);
            assertEnded(client);
        }
    }

    @Test
    void onlyThoseNamedAreEndedAndOnlyOnce() throws Exception {
        try (Socket waiting = connected("waiting"); Socket other = connected("other")) {
            for (int expected : new int[] {1, 0}) {
                ConnectionCloser end = end();
                end.of(Set.of("waiting", "unheard of"));
                assertEquals(expected, end.count());
            }
            assertEnded(waiting);
            assertOpen(other);
        }
    }

    @Test
    void whoeverConnectsMeanwhileIsNotKeptWaiting() throws Exception {
        try (Socket late = new Socket(InetAddress.getLoopbackAddress(), server.socket().getLocalPort())) {
            accepted.add(server.accept());
            ConnectionCloser end = end();
            end.ofAll();
            assertEquals(1, end.count());
            assertEnded(late);
        }
    }

    private ConnectionCloser end() {
        return new ConnectionCloser(scope, new ProcessorCarrier() {
            @Override
            public int id() {
                return 0;
            }

            @Override
            public Object insync$thread() {
                return null;
            }

            @Override
            public Object insync$selector() {
                return selector;
            }

            @Override
            public BlockingQueue<?> insync$accepted() {
                return accepted;
            }
        });
    }

    private Socket connected(String id) throws IOException {
        Socket client = new Socket(InetAddress.getLoopbackAddress(), server.socket().getLocalPort());
        SocketChannel channel = server.accept();
        channel.configureBlocking(false);
        selector.register(id, channel);
        return client;
    }

    private static void assertEnded(Socket client) throws IOException {
        client.setSoTimeout(AT_ONCE_MS);
        assertEquals(-1, client.getInputStream().read());
    }

    private static void assertOpen(Socket client) throws IOException {
        client.setSoTimeout(NOT_MS);
        assertThrows(SocketTimeoutException.class, () -> client.getInputStream().read());
    }

    private static RequestScope scope() {
        Clock clock = new Clock() {
            @Override
            public long millis() {
                return System.currentTimeMillis();
            }

            @Override
            public long nanos() {
                return System.nanoTime();
            }
        };
        return new RequestScope(clock, new LeaderClock(clock), new Stats(), (id, topic, partition, held) -> { },
            (request, replica) -> FetchBody.NOT_NAMED);
    }
}
