package insync.agent;

import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;

/**
 * What stands behind the {@code =} of -javaagent: {@code key=value} pairs with commas between them.
 *
 * <ul>
 * <li>{@code on-unsupported=fail|stock}: a broker that cannot be woven whole stops (default), or runs untouched
 * <li>{@code events=FILE}: where to append broker-side events, JSON lines (default: nowhere)
 * <li>{@code bridge=FILE}: connection file of the Python bridge (default: no bridge)
 * <li>{@code default-scope=off|read|request}: what the configs are where a broker's settings do not say (default: off);
 *     for test suites that make their own settings, such as Kafka's
 * <li>{@code default-log-start=off|bound|snapshot|both}: the same for the configs against KAFKA-7104
 * <li>{@code holds=on}: weave in the points at which tests may stop a thread over the bridge (default: none)
 * </ul>
 */
public final class AgentOptions {
    private Path eventsFile;
    private Path bridgeFile;
    private boolean stockWhenUnsupported;
    private String defaultScope = "off";
    private String defaultLogStart = "off";
    private boolean pausePoints;

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
            case "bridge":
                bridgeFile = path(key, value);
                break;
            case "on-unsupported":
                if (!value.equals("fail") && !value.equals("stock")) {
                    throw new AgentException("agent option on-unsupported=" + value + ": expected fail or stock");
                }
                stockWhenUnsupported = value.equals("stock");
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
            case "holds":
                if (!value.equals("on") && !value.equals("off")) {
                    throw new AgentException("agent option holds=" + value + ": expected on or off");
                }
                pausePoints = value.equals("on");
                break;
            default:
                throw new AgentException("agent option " + key + "=" + value
                    + " is unknown: expected events=FILE, bridge=FILE, on-unsupported=fail|stock,"
                    + " default-scope=off|read|request, default-log-start=off|bound|snapshot|both or holds=on|off");
        }
    }

    private static Path path(String key, String value) throws AgentException {
        if (value.isEmpty()) {
            throw new AgentException("agent option " + key + "= has no value: expected a file");
        }
        return Paths.get(value).toAbsolutePath();
    }

    /** Null where no events are wanted. */
    public Path eventsFile() {
        return eventsFile;
    }

    /** Null where no bridge is wanted. */
    public Path bridgeFile() {
        return bridgeFile;
    }

    /** "off", "read" or "request". */
    public String defaultScope() {
        return defaultScope;
    }

    /** "off", "bound", "snapshot" or "both". */
    public String defaultLogStart() {
        return defaultLogStart;
    }

    /** Whether tests may stop threads. */
    public boolean pausePoints() {
        return pausePoints;
    }

    public boolean runStockWhenUnsupported() {
        return stockWhenUnsupported;
    }
}
