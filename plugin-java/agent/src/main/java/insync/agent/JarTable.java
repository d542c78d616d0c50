package insync.agent;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** Reads the tables inside the agent's jar. */
public final class JarTable {

    private JarTable() { }

    /**
     * Returns the entries of a properties file.
     *
     * @param path its path inside the jar
     * @throws AgentException if the jar lacks it
     */
    public static Properties read(String path) throws AgentException {
        Properties table = new Properties();
        try (InputStream in = JarTable.class.getResourceAsStream(path)) {
            table.load(in);
        } catch (IOException | NullPointerException broken) {
            throw new AgentException("the agent jar is broken: it lacks a readable " + path);
        }
        return table;
    }
}
