package insync.agent;

import insync.agent.v4_3.AdapterV43;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.function.Supplier;

/**
 * The one table of broker versions (gradle/broker-versions.properties, inside the jar) against the adapters there are.
 */
final class Adapters {
    private static final String TABLE = "/insync/broker-versions.properties";

    private final Properties table;

    private Adapters(Properties table) {
        this.table = table;
    }

    static Adapters load() throws AgentException {
        Properties table = new Properties();
        try (InputStream in = Adapters.class.getResourceAsStream(TABLE)) {
            table.load(in);
        } catch (IOException | NullPointerException broken) {
            throw new AgentException("the agent jar is broken: it lacks a readable " + TABLE);
        }
        return new Adapters(table);
    }

    /**
     * The adapter whose range holds the version.
     *
     * @param problems what speaks against weaving is added here
     * @return null if no range holds it
     */
    Adapter pick(String version, List<String> problems) {
        for (String name : table.getProperty("adapters").split(",")) {
            if (inRange(version, table.getProperty(name + ".from"), table.getProperty(name + ".below"))) {
                return make(name).get();
            }
        }
        problems.add("its version is outside of what this agent knows (" + ranges() + ")");
        return null;
    }

    private static Supplier<Adapter> make(String name) {
        if (name.equals("v4_3")) {
            return AdapterV43::new;
        }
        throw new IllegalStateException("broker-versions.properties names the adapter " + name + ", which is none");
    }

    private String ranges() {
        StringBuilder all = new StringBuilder();
        for (String name : table.getProperty("adapters").split(",")) {
            all.append(all.length() == 0 ? "" : ", ").append(table.getProperty(name + ".from"))
                .append(" to below ").append(table.getProperty(name + ".below"));
        }
        return all.toString();
    }

    static boolean inRange(String version, String from, String below) {
        int[] parts = parts(version);
        return Arrays.compare(parts, parts(from)) >= 0 && Arrays.compare(parts, parts(below)) < 0;
    }

    /** "4.3.1-SNAPSHOT" as {4, 3, 1}; what is no number counts as 0. */
    private static int[] parts(String version) {
        int[] parts = new int[3];
        String[] words = version.split("[.-]");
        for (int i = 0; i < Math.min(parts.length, words.length); i++) {
            parts[i] = words[i].matches("\\d{1,6}") ? Integer.parseInt(words[i]) : 0;
        }
        return parts;
    }
}
