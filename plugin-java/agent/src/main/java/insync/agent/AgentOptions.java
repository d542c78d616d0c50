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
 * </ul>
 */
public final class AgentOptions {
    private static final String LAB = "lab=";

    /** What the option lab named, or an extension that adds nothing. */
    public final Extension extension;
    boolean runsStockWhenUnsupported = true;
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
                runsStockWhenUnsupported = isOther(key, value, "fail", "stock");
                break;
            case "unknown-methods":
                allowsUnknownMethods = isOther(key, value, "refuse", "allow");
                break;
            default:
                if (!extension.set(key, value)) {
                    throw new AgentException("agent option " + key + "=" + value + ": unknown option, expected "
                        + "on-unsupported=fail|stock, unknown-methods=refuse|allow" + extension.options()
                        + (extension.isNone() ? " or lab=FILE: events, bridge, cache, defaults and pause points need that" : ""));
                }
        }
    }

    /** Returns whether an option has the second of its two values. */
    private static boolean isOther(String key, String value, String usual, String other) throws AgentException {
        if (!value.equals(usual) && !value.equals(other)) {
            throw new AgentException("agent option " + key + "=" + value + ": expected " + usual + " or " + other);
        }
        return value.equals(other);
    }

    /** Loads an extension from a jar. */
    public interface Loader {

        /** @throws AgentException if the jar has none */
        Extension load(Path jar) throws AgentException;
    }
}
