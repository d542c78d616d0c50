package insync.clients;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * One repeat's workload as keys and values; the harness explains the keys where it writes them
 * (insync/workload/java.py).
 */
final class Plan {
    private final Map<String, String> keys;

    Plan(Map<String, String> keys) {
        this.keys = new HashMap<>(keys);
    }

    boolean has(String key) {
        return keys.containsKey(key);
    }

    String text(String key) {
        String value = keys.get(key);
        if (value == null) {
            throw new IllegalArgumentException("the plan has no key " + key);
        }
        return value;
    }

    int number(String key) {
        return Integer.parseInt(text(key));
    }

    double real(String key) {
        return Double.parseDouble(text(key));
    }

    boolean flag(String key) {
        return Boolean.parseBoolean(text(key));
    }

    /** Returns the numbers of a list; none for an empty one. */
    int[] numbers(String key) {
        return has(key) && !text(key).isEmpty()
                ? Arrays.stream(text(key).split(",")).mapToInt(Integer::parseInt).toArray()
                : new int[0];
    }

    /** Returns the values of a map {@code NUMBER:VALUE,...}, in order of the numbers. */
    static Map<Integer, String> byNumber(String text) {
        Map<Integer, String> values = new TreeMap<>();
        for (String each : text.split(",")) {
            int split = each.indexOf(':');
            values.put(Integer.parseInt(each.substring(0, split)), each.substring(split + 1));
        }
        return values;
    }

    /** Returns the settings of a client: the keys with a prefix, without it. */
    Properties settings(String prefix) {
        Properties settings = new Properties();
        keys.forEach((key, value) -> {
            if (key.startsWith(prefix)) {
                settings.setProperty(key.substring(prefix.length()), value);
            }
        });
        return settings;
    }
}
