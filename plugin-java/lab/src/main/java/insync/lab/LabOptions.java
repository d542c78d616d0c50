package insync.lab;

import insync.agent.AgentException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Map;
import java.util.TreeMap;

/**
 * Parses the options that the lab adds to those of the agent.
 *
 * <ul>
 * <li>{@code events=FILE}: appends the broker's events to a file, as JSON lines (default: no events)
 * <li>{@code events-max-bytes=N}: the largest size of that file; then it becomes FILE.1 (default: 100 MiB)
 * <li>{@code events-files=N}: how many such files are kept, with the one that is written (default: 5)
 * <li>{@code bridge=FILE}: connection file of the Python bridge (default: no bridge)
 * <li>{@code default.CONFIG=VALUE}: another default of one of the agent's configs, for test suites that write their own settings,
 *     such as Kafka's
 * <li>{@code pause-points=on}: weaves the points at which tests may pause a thread over the bridge (default: off)
 * <li>{@code cache=FOLDER}: keeps the woven classes there for the next starts (default: no cache)
 * </ul>
 */
final class LabOptions {
    static final String ALL = ", events=FILE, events-max-bytes=N, events-files=N, bridge=FILE, cache=FOLDER, "
        + "default.CONFIG=VALUE or pause-points=on|off";
    static final String DEFAULT = "default.";
    private static final long LEAST_BYTES = 4_096;
    private static final long MOST_BYTES = 1L << 40;
    private static final int MOST_FILES = 1_000;

    /** Null without events. */
    Path eventsFile;
    long eventsMaxBytes = 100L << 20;
    int eventsFiles = 5;
    /** Null without a bridge. */
    Path bridgeFile;
    /** Null without a cache. */
    Path cacheFolder;
    boolean pausePoints;
    /** Defaults by the names of configs. */
    final Map<String, String> defaults = new TreeMap<>();

    /** Sets an option; returns whether it is one of these. */
    boolean set(String key, String value) throws AgentException {
        switch (key) {
            case "events":
                eventsFile = path(key, value);
                return true;
            case "events-max-bytes":
                eventsMaxBytes = number(key, value, LEAST_BYTES, MOST_BYTES);
                return true;
            case "events-files":
                eventsFiles = (int) number(key, value, 2, MOST_FILES);
                return true;
            case "bridge":
                bridgeFile = path(key, value);
                return true;
            case "cache":
                cacheFolder = path(key, value);
                return true;
            case "pause-points":
                if (!value.equals("on") && !value.equals("off")) {
                    throw new AgentException("agent option " + key + "=" + value + ": expected on or off");
                }
                pausePoints = value.equals("on");
                return true;
            default:
                if (key.startsWith(DEFAULT)) {
                    defaults.put(key.substring(DEFAULT.length()), value);
                }
                return key.startsWith(DEFAULT);
        }
    }

    private static long number(String key, String value, long least, long most) throws AgentException {
        // At most 18 digits: no overflow.
        long number = value.matches("[0-9]{1,18}") ? Long.parseLong(value) : -1;
        if (number < least || number > most) {
            throw new AgentException("agent option " + key + "=" + value + ": expected a whole number from " + least + " to " + most);
        }
        return number;
    }

    private static Path path(String key, String value) throws AgentException {
        if (value.isEmpty()) {
            throw new AgentException("agent option " + key + "=: expected a " + expected(key));
        }
        try {
            return Paths.get(value).toAbsolutePath();
        } catch (InvalidPathException invalid) {
            throw new AgentException("agent option " + key + "=" + value + ": expected a " + expected(key) + " (" + invalid.getReason() + ")");
        }
    }

    private static String expected(String key) {
        return key.equals("cache") ? "folder" : "file";
    }
}
