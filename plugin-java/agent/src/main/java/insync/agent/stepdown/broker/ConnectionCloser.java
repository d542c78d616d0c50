package insync.agent.stepdown.broker;

import insync.agent.stepdown.broker.ProcessorHooks.ProcessorCarrier;
import insync.agent.stepdown.broker.SelectorHooks.SelectorCarrier;
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
import org.apache.kafka.common.network.TransportLayer;

/**
 * Ends connections of one network thread by ending their output: the client reads the end of the stream at once and
 * closes. The network thread later sees a client that closed, and removes the connection as usual (quotas, metrics,
 * requests in flight). Closing the socket here would cancel its key and leave the connection in Kafka's Selector,
 * counted, until it is idle for too long.
 */
final class ConnectionCloser {
    /** The most connections to end at one time, of one thread; more follow at the next tick. */
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
     * Closes all connections, those accepted meanwhile included, but followers' and the one that the thread is blocked
     * on.
     *
     * @param except what it works on, or null
     */
    void ofAll(Object except) {
        SelectionKey busy = except instanceof TransportLayer ? ((TransportLayer) except).selectionKey() : null;
        for (SelectionKey key : keys()) {
            String id = id(key);
            if (key != busy && id != null && scope.find(id) == null) {
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

    /** Returns how many were ended. */
    int count() {
        return count;
    }

    /** Returns the first of them, by Kafka's connection ids. */
    List<String> ids() {
        return ids;
    }

    /** Returns the id of the network thread's Processor. */
    int processor() {
        return processor.id();
    }

    /** Returns Java's own set, which may be read while the network thread changes it. */
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
            // Whatever ended it, it has ended.
        }
    }
}
