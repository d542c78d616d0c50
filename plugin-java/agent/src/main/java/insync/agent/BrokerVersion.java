package insync.agent;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** Finds which Kafka is on the class path, without loading any of its classes. */
public final class BrokerVersion {
    private static final String RESOURCE = "kafka/kafka-version.properties";

    private BrokerVersion() { }

    /**
     * @return the version, such as "4.3.1"
     * @throws AgentException if there is no Kafka on the class path
     */
    public static String onClassPath() throws AgentException {
        try (InputStream in = ClassLoader.getSystemResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new AgentException("no Kafka on the class path (" + RESOURCE
                    + " is missing): expected -javaagent on a Kafka broker's command line");
            }
            Properties properties = new Properties();
            properties.load(in);
            return properties.getProperty("version", "unknown");
        } catch (IOException unreadable) {
            throw new AgentException("cannot read " + RESOURCE + ": " + unreadable);
        }
    }
}
