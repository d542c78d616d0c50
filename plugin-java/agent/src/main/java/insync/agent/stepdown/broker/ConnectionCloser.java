package insync.agent.stepdown.broker;

import insync.agent.stepdown.broker.ProcessorHooks.ProcessorCarrier;
import insync.agent.stepdown.broker.ProcessorHooks.SelectorCarrier;
import insync.core.isr.RequestScope;
import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.network.KafkaChannel;

/**
 * Ends connections of one network thread by closing their output: the client reads the end of the stream at once and
 * closes. The network thread later sees a client that closed, and removes the connection as usual (quotas, metrics,
 * requests in flight). If this class closed the socket, its key would be cancelled and the connection would stay in
 * Kafka's Selector and in its counts until it is idle for too long.
 */
final class ConnectionCloser {
    /** The most connections of one thread to end in one tick. */
    private static final int MOST = 1_000;
    private static final int NAMED = 20;

    private final RequestScope scope;
    private final ProcessorCarrier processor;
    private final List<String> ids = new ArrayList<>();
    private int count;

    ConnectionCloser(RequestScope scope, ProcessorCarrier processor) {
        this.scope = scope;
        this.processor = processor;
    }

    /**
     * Ends all connections, including newly accepted ones, except those of followers. The one on which the thread is
     * blocked is ended as well: the response that it writes waits for the disk, and so would its client.
     */
    void ofAll() {
        for (SelectionKey key : keys()) {
            String id = id(key);
            if (id != null && scope.find(id) == null) {
                end(key, id);
            }
        }
        for (Object accepted : processor.insync$accepted()) {
            end((SocketChannel) accepted, "accepted");
        }
    }

    /** Ends the connections with these ids. */
    void of(Set<String> wanted) {
        for (SelectionKey key : keys()) {
            String id = id(key);
            if (id != null && wanted.contains(id)) {
                end(key, id);
            }
        }
    }

    int count() {
        return count;
    }

    /** Returns the first ended connections, by Kafka's connection ids. */
    List<String> ids() {
        return ids;
    }

    /** Returns the id of the network thread's Processor. */
    int processor() {
        return processor.id();
    }

    /** Returns Java's own set of keys, which may be read while the network thread changes it. */
    private Set<SelectionKey> keys() {
        try {
            return ((SelectorCarrier) processor.insync$selector()).insync$nio().keys();
        } catch (ClosedSelectorException stopped) {
            return Set.of();
        }
    }

    private static String id(SelectionKey key) {
        Object channel = key.attachment();
        return channel instanceof KafkaChannel ? ((KafkaChannel) channel).id() : null;
    }

    private void end(SelectionKey key, String id) {
        end((SocketChannel) key.channel(), id);
    }

    private void end(SocketChannel socket, String id) {
        try {
            if (count < MOST && !socket.socket().isOutputShutdown()) {
                socket.shutdownOutput();
                count++;
                if (ids.size() < NAMED) {
                    ids.add(id);
                }
            }
        } catch (IOException | NotYetConnectedException gone) {
            // The connection has already ended.
        }
    }
}
