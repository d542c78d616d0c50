package insync.agent.log;

import insync.core.log.BrokerLog;
import insync.core.log.BrokerLog.Level;
import insync.core.log.BrokerLog.Name;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes to the broker's own log, by the slf4j of its class path. Its loggers exist from the start, because Kafka changes the level
 * only of a logger that exists.
 */
public final class KafkaLog implements BrokerLog.Sink {
    /** The parent of all our loggers. */
    public static final String PARENT = "insync";

    private static final Map<Level, BiConsumer<Logger, String>> WRITERS = Map.of(
        Level.DEBUG, Logger::debug, Level.INFO, Logger::info, Level.WARN, Logger::warn, Level.ERROR, Logger::error);

    private final Map<Name, Logger> loggers = new EnumMap<>(Name.class);

    public KafkaLog() {
        LoggerFactory.getLogger(PARENT);
        for (Name name : Name.values()) {
            loggers.put(name, LoggerFactory.getLogger(name.logger()));
        }
    }

    @Override
    public boolean isOn(Name name, Level level) {
        Logger logger = loggers.get(name);
        return level == Level.DEBUG ? logger.isDebugEnabled() : level == Level.INFO ? logger.isInfoEnabled()
            : level == Level.WARN ? logger.isWarnEnabled() : logger.isErrorEnabled();
    }

    @Override
    public void write(Name name, Level level, String line) {
        WRITERS.get(level).accept(loggers.get(name), line);
    }
}
