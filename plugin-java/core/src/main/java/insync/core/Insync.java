package insync.core;

/**
 * The one instance of the plugin in this JVM. Woven code is static, so it needs one place to find it;
 * everything behind it is passed by constructor.
 */
public final class Insync {
    private static volatile Insync current = new Insync(EventLog.none());

    private final EventLog events;
    private final Stats stats = new Stats();
    private final Failures failures;

    public Insync(EventLog events) {
        this.events = events;
        this.failures = new Failures(events);
    }

    public static Insync current() {
        return current;
    }

    /** Called once by the agent, before any broker class is loaded. */
    public static void install(Insync insync) {
        current = insync;
    }

    /**
     * Where the exception handler of every woven hook ends. The class name of the innermost frame tells which.
     */
    public static void failed(Throwable failure) {
        StackTraceElement[] trace = failure.getStackTrace();
        current.failures.record(trace.length == 0 ? "hook" : trace[0].toString(), failure);
    }

    public EventLog events() {
        return events;
    }

    public Stats stats() {
        return stats;
    }

    public Failures failures() {
        return failures;
    }
}
