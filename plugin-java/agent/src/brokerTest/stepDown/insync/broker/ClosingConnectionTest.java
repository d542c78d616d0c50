package insync.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import insync.agent.broker.BrokerLifecycle;
import insync.agent.broker.Brokers;
import insync.agent.isr.RequestChannelHooks.ChannelCarrier;
import insync.core.Insync;
import insync.core.isr.RequestScope;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.memory.MemoryPool;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.network.PlaintextChannelBuilder;
import org.apache.kafka.common.network.Selector;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.mockito.Mockito;

/** A connection that Kafka's Selector disconnects, and from which it then reads what is still in the socket before it closes it. */
@EnabledIfSystemProperty(named = "insync.jvm", matches = "woven")
class ClosingConnectionTest {
    private static final String ID = "follower";
    /** The size of a request, and the request. */
    private static final byte[] REQUEST = {0, 0, 0, 1, 42};

    @TempDir
    Path folder;

    /** With TLS a reset is enough for that: a read fails, and the next one finds what is in the buffer. Any client can do it. */
    @Test
    void aRequestThatIsReadAfterTheDisconnectionLeavesNoConnection() throws Exception {
        MemoryPool failsOnce = Mockito.mock(MemoryPool.class);
        Mockito.when(failsOnce.tryAllocate(1)).thenReturn(ByteBuffer.allocate(1)).thenThrow(new IllegalStateException("once"))
            .thenReturn(ByteBuffer.allocate(1));
        PlaintextChannelBuilder plain = new PlaintextChannelBuilder(new ListenerName("PLAINTEXT"));
        plain.configure(Map.of());
        BrokerLifecycle.of(config()).socketServerStarted(config(), Time.SYSTEM, Mockito.mock(ChannelCarrier.class));
        try (Selector selector = new Selector(-1, -1, new Metrics(), Time.SYSTEM, "test", Map.of(), false, false, plain, failsOnce,
                 new LogContext());
             ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
             Socket follower = new Socket(InetAddress.getLoopbackAddress(), server.socket().getLocalPort())) {
            SocketChannel accepted = server.accept();
            accepted.configureBlocking(false);
            selector.register(ID, accepted);
            RequestScope scope = Brokers.requestScopes().get(0);
            follower.getOutputStream().write(REQUEST);
            arrives(selector, scope);
            follower.getOutputStream().write(REQUEST);
            selector.clearCompletedReceives();
            arrives(selector, scope);
            selector.poll(0);
            assertEquals(Set.of(ID), selector.disconnected().keySet());
            assertNull(scope.find(ID));
        }
    }

    /** Else one that is lost while the scope is turned on would stay, with the fetch that is pending on it. */
    @Test
    void connectionsAreTrackedOnlyWhenTheirEndIsNoted() throws Exception {
        List<Boolean> noted = new ArrayList<>();
        ChannelCarrier channel = Mockito.mock(ChannelCarrier.class);
        Mockito.doAnswer(on -> noted.add(Brokers.anyRequestScope() && !Brokers.requestScopes().isEmpty()))
            .when(channel).insync$scope(Mockito.any());
        BrokerLifecycle.of(config()).socketServerStarted(config(), Time.SYSTEM, channel);
        assertEquals(List.of(true), noted);
    }

    @AfterEach
    void stop() {
        BrokerLifecycle.of(config()).socketServerStopped();
        assertEquals("", Insync.current().failures.last());
    }

    private KafkaConfig config() {
        Map<String, String> configs = new HashMap<>(Leader.KRAFT);
        configs.putAll(Map.of("follower.fetch.pending.reads.insync.enable", "true", "log.dirs", folder.toString(),
            "insync.scope", "request"));
        return new KafkaConfig(configs, false);
    }

    /** Does what the Processor and RequestChannel do with a request that is read. */
    private static void arrives(Selector selector, RequestScope scope) throws Exception {
        for (int polls = 0; selector.completedReceives().isEmpty() && polls < 100; polls++) {
            selector.poll(100);
        }
        assertEquals(1, selector.completedReceives().size());
        scope.connection(ID, Leader.FOLLOWER, "User:broker", scope.networkThread());
        assertNotNull(scope.find(ID), "it has a connection");
    }
}
