package insync.agent;

import insync.agent.broker.BrokerLifecycle;
import insync.agent.weave.Weaver;
import insync.agent.weave.WovenBroker;
import insync.core.Insync;
import insync.core.events.EventLog;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.JarFile;
import net.bytebuddy.dynamic.ClassFileLocator;

/**
 * Starts the agent before the broker's main: reads its options, picks the adapter of the broker's version, and weaves.
 * Either every hook is woven or none is, or the JVM ends.
 */
public final class AgentMain {
    private static final int EXIT_BAD_INPUT = 2;
    private static final String EXTENSION = "insync.lab.Lab";

    private AgentMain() { }

    /** Called by the JVM for {@code -javaagent:insync-agent.jar=OPTIONS}; see {@link AgentOptions}. */
    public static void premain(String arguments, Instrumentation instrumentation) {
        try {
            AgentOptions options = AgentOptions.parse(arguments, jar -> load(jar, instrumentation));
            Extension.install(options.extension);
            Insync insync = new Insync(options.extension.events());
            Insync.install(insync);
            install(options, insync, instrumentation);
        } catch (AgentException refused) {
            System.err.println("[insync] " + refused.getMessage());
            System.exit(EXIT_BAD_INPUT);
        }
    }

    private static void install(AgentOptions options, Insync insync, Instrumentation instrumentation)
            throws AgentException {
        String version = JarTable.brokerVersion();
        List<String> problems = new ArrayList<>();
        Adapters adapters = new Adapters();
        try {
            Adapter adapter = adapters.pick(version, problems);
            if (adapter != null) {
                Features.install(new Features(version, adapter.name, column -> adapters.listed(adapter.name, column)));
                BrokerLifecycle.install(adapter);
                Map<String, Object> woven = weave(adapter, version, options, instrumentation, problems);
                if (problems.isEmpty()) {
                    installed(woven, adapters.isTested(version), insync);
                    return;
                }
            }
        } catch (LinkageError missing) {
            // One of our classes extends a broker class that is missing or has changed.
            problems.add("a class of the adapter cannot be loaded: " + missing);
        }
        String why = "Kafka " + version + " is not supported: " + String.join("; ", problems);
        if (!options.runsStockWhenUnsupported) {
            throw new AgentException(why + " (with on-unsupported=stock the broker runs unchanged)");
        }
        insync.events.emit("agent_refused", EventLog.fields("broker_version", version, "problems", problems));
        System.err.println("[insync] " + why + "; on-unsupported=stock: the broker runs unchanged");
    }

    private static void installed(Map<String, Object> event, boolean tested, Insync insync) {
        event.put("tested", tested);
        insync.events.emit("agent_installed", event);
        System.err.println("[insync] woven into Kafka " + event.get("broker_version") + " by adapter " + event.get("adapter")
            + (tested ? "" : "; this version is not tested, but has every symbol that the adapter needs"));
    }

    /**
     * Weaves with the woven classes that an earlier start saved, or else after all checks.
     *
     * @param problems receives the reasons why the broker is as it was, as text; none if everything is woven
     * @return the event that says what was woven
     * @throws AgentException if some classes are woven and others are not
     */
    private static Map<String, Object> weave(Adapter adapter, String version, AgentOptions options, Instrumentation instrumentation,
                                             List<String> problems) throws AgentException {
        Extension.Store files = options.extension.store(version + ' ' + adapter.name + ' ' + options.allowsUnknownMethods);
        WovenBroker woven = files == null ? null : files.load();
        String cache = woven == null ? "off" : "used";
        if (woven == null) {
            woven = (files == null ? new Weaver(adapter)
                : new Weaver(adapter, files.recorded(ClassFileLocator.ForClassLoader.ofSystemLoader())))
                .make(options.allowsUnknownMethods, problems);
        }
        if (problems.isEmpty()) {
            problems.addAll(woven.install((name, current) -> new Weaver(adapter).makeFrom(name, current), instrumentation));
        }
        if (problems.isEmpty() && cache.equals("off") && files != null && files.save(woven)) {
            cache = "written";
        }
        if (problems.isEmpty() && !woven.unknown.isEmpty()) {
            System.err.println("[insync] woven by unknown-methods=allow, although they differ from every known build: "
                + String.join(", ", woven.unknown));
        }
        return EventLog.fields("broker_version", version, "adapter", adapter.name, "woven", woven.methods,
            "unknown_methods", woven.unknown, "cache", cache);
    }

    private static Extension load(Path jar, Instrumentation instrumentation) throws AgentException {
        try (JarFile file = new JarFile(jar.toFile())) {
            instrumentation.appendToSystemClassLoaderSearch(file);
            return (Extension) Class.forName(EXTENSION, true, ClassLoader.getSystemClassLoader()).getConstructor().newInstance();
        } catch (IOException | ReflectiveOperationException | LinkageError | ClassCastException wrong) {
            throw new AgentException("agent option lab=" + jar + ": expected the path of this version's insync-lab.jar (" + wrong + ")");
        }
    }
}
