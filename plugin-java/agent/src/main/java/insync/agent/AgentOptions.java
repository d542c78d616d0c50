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
 * <li>{@code lab=FILE}: loads insync-lab.jar from there, which has options of its own; for tests and experiments
 * <li>{@code default-scope=off|read|request}: the scope of brokers whose settings do not set one (default: off);
 *     for test suites that write their own settings, such as Kafka's
 * <li>{@code default-log-start=off|bound|snapshot|both}: the same for the configs against KAFKA-7104
 * <li>{@code default-step-down=off|MS}: leader.fetch.process.time.max.ms of brokers whose settings do not set it, needs
 *     default-scope (default: off)
 * </ul>
 */
public final class AgentOptions {
    /** The time after which a leader steps down, if it never does. */
    public static final long NEVER = -1;
    private static final String LAB = "lab=";

    /** What the option lab named, or an extension that adds nothing. */
    public final Extension extension;
    boolean runsStockWhenUnsupported = true;
    /** "off", "read" or "request". */
    String defaultScope = "off";
    /** "off", "bound", "snapshot" or "both". */
    String defaultLogStart = "off";
    /** After how many milliseconds a leader steps down by default. */
    long defaultStepDownMs = NEVER;
    /** Whether methods are woven that differ from every known build. */
    boolean allowsUnknownMethods;

    private AgentOptions(Extension extension) {
        this.extension = extension;
    }

    /**
     * @param arguments the agent's argument string; null and "" mean all defaults
     * @param loader loads what the option lab names, before all other options are read
     * @throws AgentException naming the option, its value and what was expected
     */
    public static AgentOptions parse(String arguments, Loader loader) throws AgentException {
        List<String> pairs = arguments == null || arguments.isEmpty() ? List.of() : List.of(arguments.split(",", -1));
        Extension extension = new Extension();
        for (String pair : pairs) {
            if (pair.startsWith(LAB)) {
                extension = loader.load(path(pair));
            }
        }
        AgentOptions options = new AgentOptions(extension);
        for (String pair : pairs) {
            int equals = pair.indexOf('=');
            String key = equals < 0 ? pair : pair.substring(0, equals);
            if (!pair.startsWith(LAB)) {
                options.set(key, equals < 0 ? "" : pair.substring(equals + 1));
            }
        }
        return options;
    }

    private static Path path(String pair) throws AgentException {
        try {
            return Paths.get(pair.substring(LAB.length())).toAbsolutePath();
        } catch (InvalidPathException invalid) {
            throw new AgentException("agent option " + pair + ": expected the path of insync-lab.jar (" + invalid.getReason() + ")");
        }
    }

    private void set(String key, String value) throws AgentException {
        switch (key) {
            case "on-unsupported":
                runsStockWhenUnsupported = one(key, value, "fail", "stock").equals("stock");
                break;
            case "unknown-methods":
                allowsUnknownMethods = one(key, value, "refuse", "allow").equals("allow");
                break;
            case "default-scope":
                defaultScope = one(key, value, "off", "read", "request");
                break;
            case "default-log-start":
                defaultLogStart = one(key, value, "off", "bound", "snapshot", "both");
                break;
            case "default-step-down":
                defaultStepDownMs = value.equals("off") ? NEVER : milliseconds(key, value);
                break;
            default:
                if (!extension.set(key, value)) {
                    throw new AgentException("agent option " + key + "=" + value + ": unknown option, expected "
                        + "on-unsupported=fail|stock, unknown-methods=refuse|allow, default-scope=off|read|request, "
                        + "default-log-start=off|bound|snapshot|both, default-step-down=off|MS" + extension.options()
                        + (extension.isNone() ? " or lab=FILE: events, bridge, cache and pause points need that" : ""));
                }
        }
    }

    private static String one(String key, String value, String... of) throws AgentException {
        List<String> expected = List.of(of);
        if (!expected.contains(value)) {
            int last = expected.size() - 1;
            throw new AgentException("agent option " + key + "=" + value + ": expected "
                + String.join(", ", expected.subList(0, last)) + " or " + expected.get(last));
        }
        return value;
    }

    private static long milliseconds(String key, String value) throws AgentException {
        // At most ten digits: enough for four months, and no overflow.
        if (!value.matches("[1-9][0-9]{0,9}")) {
            throw new AgentException("agent option " + key + "=" + value + ": expected off, or milliseconds from 1 on");
        }
        return Long.parseLong(value);
    }

    /** Loads an extension from a jar. */
    public interface Loader {

        /** @throws AgentException if the jar has none */
        Extension load(Path jar) throws AgentException;
    }
}
