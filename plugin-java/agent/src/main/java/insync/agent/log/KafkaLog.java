package insync.agent.log;

import insync.core.Insync;
import insync.core.log.BrokerLog;
import insync.core.log.BrokerLog.Level;
import insync.core.log.BrokerLog.Name;
import java.util.EnumMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes to the broker's own log, by the slf4j of its class path. Its loggers exist from the start, because Kafka changes the level
 * only of a logger that exists.
 */
public final class KafkaLog implements BrokerLog.Sink {
    /** The parent of all our loggers. */
    public static final String PARENT = "insync";

    private final Map<Name, Logger> loggers = new EnumMap<>(Name.class);

    private KafkaLog() {
        LoggerFactory.getLogger(PARENT);
        for (Name name : Name.values()) {
            loggers.put(name, LoggerFactory.getLogger(name.logger()));
        }
    }

    /** Opens the plugin's log, unless it is open; called when this JVM reads a node's configs, so Kafka has set up its logging. */
    public static void open(Insync insync) {
        insync.log().open(Holder.LOG);
    }

    @Override
    public boolean isOn(Name name, Level level) {
        Logger logger = loggers.get(name);
        switch (level) {
            case DEBUG:
                return logger.isDebugEnabled();
            case INFO:
                return logger.isInfoEnabled();
            case WARN:
                return logger.isWarnEnabled();
            default:
                return logger.isErrorEnabled();
        }
    }

    @Override
    public void write(Name name, Level level, String line) {
        Logger logger = loggers.get(name);
        switch (level) {
            case DEBUG:
                logger.debug(line);
                break;
            case INFO:
                logger.info(line);
                break;
            case WARN:
                logger.warn(line);
                break;
            default:
                logger.error(line);
        }
    }

    /** Makes the loggers when the first log is opened, not when the class is loaded. */
    private static final class Holder {
        private static final KafkaLog LOG = new KafkaLog();
    }
}
