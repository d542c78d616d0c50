package insync.agent;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** Reads the tables inside the agent's jar, and Kafka's version. */
public final class JarTable {

    private static final String VERSION = "kafka/kafka-version.properties";

    private JarTable() { }

    /**
     * Returns the entries of a properties file.
     *
     * @param path its path inside the jar
     * @throws IllegalStateException if the jar lacks it
     */
    public static Properties read(String path) {
        Properties table = new Properties();
        try (InputStream in = JarTable.class.getResourceAsStream(path)) {
            table.load(in);
        } catch (IOException | NullPointerException broken) {
            throw new IllegalStateException("the agent jar is broken: it lacks a readable " + path, broken);
        }
        return table;
    }

    /**
     * Finds which Kafka is on the class path, without loading any of its classes.
     *
     * @return the version, such as "4.3.1"
     * @throws AgentException if there is no Kafka on the class path
     */
    public static String brokerVersion() throws AgentException {
        try (InputStream in = ClassLoader.getSystemResourceAsStream(VERSION)) {
            if (in == null) {
                throw new AgentException("no Kafka on the class path (" + VERSION
                    + " is missing): expected -javaagent on a Kafka broker's command line");
            }
            Properties properties = new Properties();
            properties.load(in);
            return properties.getProperty("version", "unknown");
        } catch (IOException unreadable) {
            throw new AgentException("cannot read " + VERSION + ": " + unreadable);
        }
    }
}
