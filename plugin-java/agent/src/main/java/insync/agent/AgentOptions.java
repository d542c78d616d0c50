package insync.agent;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;

/**
 * Parses the agent's options: {@code key=value} pairs, separated by commas, after the {@code =} of -javaagent.
 *
 * <ul>
 * <li>{@code on-unsupported=stock|fail}: a broker that cannot be woven completely runs unchanged (default), or stops; tests want
 *     the second
 * <li>{@code unknown-methods=refuse|allow}: a broker of which a method to weave differs from every build that the tests run
 *     counts as unsupported (default), or is woven nevertheless; for vendors' builds
 * <li>{@code events=FILE}: appends the broker's events to a file, as JSON lines (default: no events)
 * <li>{@code events-max-bytes=N}: the largest size of that file; then it becomes FILE.1 (default: 100 MiB)
 * <li>{@code events-files=N}: how many such files are kept, with the one that is written (default: 5)
 * <li>{@code bridge=FILE}: connection file of the Python bridge (default: no bridge)
 * <li>{@code default-scope=off|read|request}: the scope of brokers whose settings do not set one (default: off);
 *     for test suites that write their own settings, such as Kafka's
 * <li>{@code default-log-start=off|bound|snapshot|both}: the same for the configs against KAFKA-7104
 * <li>{@code default-step-down=off|MS}: leader.fetch.process.time.max.ms of brokers whose settings do not set it, needs
 *     default-scope (default: off)
 * <li>{@code pause-points=on}: weaves the points at which tests may pause a thread over the bridge (default: off);
 *     {@code holds=on} is an older name of the same option
 * <li>{@code cache=FOLDER}: keeps the woven classes there for the next starts (default: no cache)
 * </ul>
 */
public final class AgentOptions {
    /** The time after which a leader steps down, if it never does. */
    public static final long NEVER = -1;
    private static final long LEAST_BYTES = 4_096;
    private static final long MOST_BYTES = 1L << 40;
    private static final int MOST_FILES = 1_000;

    private Path eventsFile;
    private long eventsMaxBytes = 100L << 20;
    private int eventsFiles = 5;
    private Path bridgeFile;
    private Path cacheFolder;
    private boolean stockWhenUnsupported = true;
    private String defaultScope = "off";
    private String defaultLogStart = "off";
    private long defaultStepDownMs = NEVER;
    private boolean pausePoints;
    private boolean unknownMethods;

    private AgentOptions() { }

    /**
     * @param arguments the agent's argument string; null and "" mean all defaults
     * @throws AgentException naming the option, its value and what was expected
     */
    public static AgentOptions parse(String arguments) throws AgentException {
        AgentOptions options = new AgentOptions();
        if (arguments != null && !arguments.isEmpty()) {
            for (String pair : arguments.split(",", -1)) {
                int equals = pair.indexOf('=');
                String key = equals < 0 ? pair : pair.substring(0, equals);
                options.set(key, equals < 0 ? "" : pair.substring(equals + 1));
            }
        }
        return options;
    }

    private void set(String key, String value) throws AgentException {
        switch (key) {
            case "events":
                eventsFile = path(key, value);
                break;
            case "events-max-bytes":
                eventsMaxBytes = number(key, value, LEAST_BYTES, MOST_BYTES);
                break;
            case "events-files":
                eventsFiles = (int) number(key, value, 2, MOST_FILES);
                break;
            case "bridge":
                bridgeFile = path(key, value);
                break;
            case "cache":
                cacheFolder = path(key, value);
                break;
            case "on-unsupported":
                if (!value.equals("fail") && !value.equals("stock")) {
                    throw new AgentException("agent option on-unsupported=" + value + ": expected fail or stock");
                }
                stockWhenUnsupported = value.equals("stock");
                break;
            case "unknown-methods":
                if (!value.equals("refuse") && !value.equals("allow")) {
                    throw new AgentException("agent option unknown-methods=" + value + ": expected refuse or allow");
                }
                unknownMethods = value.equals("allow");
                break;
            case "default-scope":
                if (!List.of("off", "read", "request").contains(value)) {
                    throw new AgentException("agent option default-scope=" + value + ": expected off, read or request");
                }
                defaultScope = value;
                break;
            case "default-log-start":
                if (!List.of("off", "bound", "snapshot", "both").contains(value)) {
                    throw new AgentException("agent option default-log-start=" + value
                        + ": expected off, bound, snapshot or both");
                }
                defaultLogStart = value;
                break;
            case "default-step-down":
                defaultStepDownMs = value.equals("off") ? NEVER : milliseconds(key, value);
                break;
            case "pause-points":
            case "holds":
                if (!value.equals("on") && !value.equals("off")) {
                    throw new AgentException("agent option " + key + "=" + value + ": expected on or off");
                }
                pausePoints = value.equals("on");
                break;
            default:
                throw new AgentException("agent option " + key + "=" + value
                    + ": unknown option, expected events=FILE, events-max-bytes=N, events-files=N, bridge=FILE, cache=FOLDER, on-unsupported=fail|stock,"
                    + " unknown-methods=refuse|allow, default-scope=off|read|request, default-log-start=off|bound|snapshot|both,"
                    + " default-step-down=off|MS or pause-points=on|off");
        }
    }

    private static long milliseconds(String key, String value) throws AgentException {
        // At most ten digits: enough for four months, and no overflow.
        if (!value.matches("[1-9][0-9]{0,9}")) {
            throw new AgentException("agent option " + key + "=" + value + ": expected off, or milliseconds from 1 on");
        }
        return Long.parseLong(value);
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

    /** Returns the folder of the cache of woven classes, or null if there is none. */
    public Path cacheFolder() {
        return cacheFolder;
    }

    /** Returns the file for events, or null if there are none. */
    public Path eventsFile() {
        return eventsFile;
    }

    /** Returns the largest size of the file for events, bytes. */
    public long eventsMaxBytes() {
        return eventsMaxBytes;
    }

    /** Returns how many files for events are kept, with the one that is written. */
    public int eventsFiles() {
        return eventsFiles;
    }

    /** Returns the bridge's connection file, or null if there is no bridge. */
    public Path bridgeFile() {
        return bridgeFile;
    }

    /** Returns "off", "read" or "request". */
    public String defaultScope() {
        return defaultScope;
    }

    /** Returns "off", "bound", "snapshot" or "both". */
    public String defaultLogStart() {
        return defaultLogStart;
    }

    /** Returns after how many milliseconds a leader steps down by default, or {@link #NEVER}. */
    public long defaultStepDownMs() {
        return defaultStepDownMs;
    }

    /** Returns whether tests may pause threads. */
    public boolean pausePoints() {
        return pausePoints;
    }

    /** Returns whether methods are woven that differ from every known build. */
    public boolean allowsUnknownMethods() {
        return unknownMethods;
    }

    public boolean runStockWhenUnsupported() {
        return stockWhenUnsupported;
    }
}
