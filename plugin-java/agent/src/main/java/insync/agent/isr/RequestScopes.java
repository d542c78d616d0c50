package insync.agent.isr;

import insync.agent.isr.RequestChannelHooks.ChannelCarrier;
import insync.core.RequestScope;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The brokers of this JVM that run scope "request"; a process has one, Kafka's own tests have several. */
final class RequestScopes {
    private static final Map<Integer, RequestScope> SCOPES = new ConcurrentHashMap<>();
    private static final Map<Integer, ChannelCarrier> CHANNELS = new ConcurrentHashMap<>();
    private static volatile boolean active;

    private RequestScopes() { }

    static synchronized void add(int brokerId, RequestScope scope, ChannelCarrier channel) {
        CHANNELS.put(brokerId, channel);
        SCOPES.put(brokerId, scope);
        active = true;
    }

    static synchronized void remove(int brokerId) {
        SCOPES.remove(brokerId);
        CHANNELS.remove(brokerId);
        active = !SCOPES.isEmpty();
    }

    /** Whether there is any. */
    static boolean active() {
        return active;
    }

    /** The scope of a broker, or null where it is off. */
    static RequestScope of(int brokerId) {
        return active ? SCOPES.get(brokerId) : null;
    }

    /** Where a broker's requests wait, or null where the scope is off. */
    static ChannelCarrier channel(int brokerId) {
        return CHANNELS.get(brokerId);
    }

    static Collection<RequestScope> all() {
        return SCOPES.values();
    }
}
