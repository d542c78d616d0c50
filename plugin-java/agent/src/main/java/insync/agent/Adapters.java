package insync.agent;

import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;

/** Reads the table of broker versions (gradle/broker-versions.properties, inside the jar) and loads their adapters. */
public final class Adapters {
    private static final String TABLE = "/insync/broker-versions.properties";

    private final Properties table = JarTable.read(TABLE);

    /**
     * Returns the adapter whose range contains the version.
     *
     * @param problems receives the reason if there is none
     * @return null if no range contains it
     */
    public Adapter pick(String version, List<String> problems) {
        for (String name : names()) {
            if (inRange(version, table.getProperty(name + ".from"), table.getProperty(name + ".below"))) {
                return load(name);
            }
        }
        problems.add("this agent supports only " + ranges());
        return null;
    }

    /** Returns whether the tests run this exact version. Another version in the range is woven if every symbol fits. */
    public boolean isTested(String version) {
        return names().stream().anyMatch(name -> listed(name, ".tested").contains(version));
    }

    List<String> names() {
        return List.of(table.getProperty("adapters").split(","));
    }

    /** Loads an adapter by its name in the table. Adapters are compiled separately, so only the name is known here. */
    static Adapter load(String name) {
        try {
            return (Adapter) Class.forName("insync.agent." + name + ".BrokerAdapter").getConstructor().newInstance();
        } catch (InvocationTargetException failed) {
            if (failed.getCause() instanceof LinkageError) {
                throw (LinkageError) failed.getCause();
            }
            throw new IllegalStateException("cannot create adapter " + name, failed.getCause());
        } catch (ReflectiveOperationException broken) {
            throw new IllegalStateException("the agent jar is broken: it lacks adapter " + name, broken);
        }
    }

    public List<String> listed(String name, String column) {
        String all = table.getProperty(name + column);
        return all.isEmpty() ? List.of() : List.of(all.split(","));
    }

    private String ranges() {
        StringBuilder all = new StringBuilder();
        for (String name : names()) {
            all.append(all.length() == 0 ? "" : ", ").append(table.getProperty(name + ".from"))
                .append(" to below ").append(table.getProperty(name + ".below"));
        }
        return all.toString();
    }

    static boolean inRange(String version, String from, String below) {
        int[] parts = parts(version);
        return Arrays.compare(parts, parts(from)) >= 0 && Arrays.compare(parts, parts(below)) < 0;
    }

    /** Parses "4.3.1-SNAPSHOT" into {4, 3, 1}; a part that is not a number counts as 0. */
    private static int[] parts(String version) {
        int[] parts = new int[3];
        String[] words = version.split("[.-]");
        for (int i = 0; i < Math.min(parts.length, words.length); i++) {
            parts[i] = words[i].matches("\\d{1,6}") ? Integer.parseInt(words[i]) : 0;
        }
        return parts;
    }
}
