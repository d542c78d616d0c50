package insync.lab.events;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Finds a broker's plaintext listener in its properties, because the types of the broker's getters differ between
 * versions. Uses none of Kafka's classes.
 */
final class OwnListeners {
    private static final String PLAINTEXT = "PLAINTEXT";

    private final Map<String, Object> properties;

    OwnListeners(Map<String, Object> properties) {
        this.properties = properties;
    }

    /**
     * Returns host and port of a listener without encryption and authentication, or null if there is none. Prefers the
     * inter-broker listener, because every broker can be reached by it.
     */
    String plaintext() {
        List<String> listeners = list("advertised.listeners");
        if (listeners.isEmpty()) {
            listeners = list("listeners");
        }
        List<String> found = new ArrayList<>();
        for (String listener : listeners) {
            int name = listener.indexOf("://");
            if (name > 0 && serves(listener.substring(0, name))) {
                String address = listener.substring(name + 3);
                found.add(listener.substring(0, name).equals(text("inter.broker.listener.name")) ? 0 : found.size(),
                    address.startsWith(":") ? "localhost" + address : address);
            }
        }
        return found.isEmpty() ? null : found.get(0);
    }

    private boolean serves(String listener) {
        return protocol(listener).equals(PLAINTEXT) && !list("controller.listener.names").contains(listener);
    }

    private String protocol(String listener) {
        for (String pair : list("listener.security.protocol.map")) {
            if (pair.startsWith(listener + ":")) {
                return pair.substring(listener.length() + 1);
            }
        }
        return listener;
    }

    private List<String> list(String key) {
        return Arrays.stream(text(key).split(",")).map(String::trim).filter(each -> !each.isEmpty())
            .collect(Collectors.toList());
    }

    private String text(String key) {
        Object value = properties.get(key);
        return value == null ? "" : value.toString().trim();
    }
}
