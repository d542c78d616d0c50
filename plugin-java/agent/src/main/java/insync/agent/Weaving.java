package insync.agent;

import insync.agent.weave.KnownMethods;
import insync.agent.weave.Weaver;
import insync.agent.weave.WovenBroker;
import java.lang.instrument.Instrumentation;
import java.util.List;

/** Weaves a broker at its start: with the woven classes that an earlier start saved, or else after all checks. */
final class Weaving {
    private final Adapter adapter;
    private final String version;
    private final AgentOptions options;
    private WovenBroker woven;
    private String cache = "off";

    Weaving(Adapter adapter, String version, AgentOptions options) {
        this.adapter = adapter;
        this.version = version;
        this.options = options;
    }

    /** Returns what is woven, if {@link #run} returned no reasons against it. */
    WovenBroker woven() {
        return woven;
    }

    /** Returns "off", "used" or "written": what the start did with the cache. */
    String cache() {
        return cache;
    }

    /**
     * @return the reasons why the broker is as it was, as text; empty if everything is woven
     * @throws AgentException if some classes are woven and others are not
     */
    List<String> run(Instrumentation instrumentation) throws AgentException {
        Extension.Store files = open();
        woven = files == null ? null : files.load();
        if (woven != null) {
            cache = "used";
            return woven.install((name, current) -> new Weaver(adapter).makeFrom(name, current), instrumentation);
        }
        List<String> unknown = KnownMethods.load().unknown(adapter.hooksAtStart());
        Weaver weaver = new Weaver(adapter);
        List<String> problems = weaver.weave(instrumentation, () -> objections(unknown));
        if (problems.isEmpty()) {
            woven = weaver.result(unknown);
            if (files != null && files.save(woven)) {
                cache = "written";
            }
        }
        return problems;
    }

    private Extension.Store open() {
        return options.extension().store(version, adapter.name(), String.valueOf(options.allowsUnknownMethods()));
    }

    private List<String> objections(List<String> unknown) {
        if (unknown.isEmpty() || options.allowsUnknownMethods()) {
            return List.of();
        }
        return List.of(KnownMethods.refusal(unknown));
    }
}
