package insync.lab;

import insync.agent.Adapter;
import insync.agent.Adapters;
import insync.agent.AgentException;
import insync.agent.Extension;
import insync.agent.JarTable;
import insync.agent.weave.KnownMethods;
import insync.agent.weave.MethodDigests;
import insync.agent.weave.Weaver;
import insync.bridge.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Prints as JSON what the agent finds and would weave in the Kafka of the class path, without starting a broker: run it with the
 * jars of agent and lab and that Kafka's jars on the class path. `insync verify` judges its answer.
 */
public final class CheckBuild {
    private CheckBuild() { }

    public static void main(String[] arguments) throws AgentException {
        System.out.println(Json.of(found()));
    }

    /**
     * Returns the answer: `version`, `tested`, `adapter` (null without one) and `problems`; with an adapter also its `features`, the
     * methods `woven`, with all pause points, those `unknown` to the agent, and per method its `digests`.
     */
    static Map<String, Object> found() throws AgentException {
        Lab lab = new Lab();
        lab.options.pausePoints = true;
        Extension.install(lab);
        String version = JarTable.brokerVersion();
        Adapters adapters = new Adapters();
        List<String> problems = new ArrayList<>();
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("version", version);
        answer.put("tested", adapters.isTested(version));
        try {
            Adapter adapter = adapters.pick(version, problems);
            if (adapter != null) {
                answer.put("adapter", adapter.name);
                new Weaver(adapter).make(true, problems);
                describe(adapter, adapters, answer);
            }
        } catch (LinkageError missing) {
            // One of our classes extends a broker class that is missing or has changed.
            problems.add("a class of the adapter cannot be loaded: " + missing);
        }
        answer.put("problems", problems);
        return answer;
    }

    private static void describe(Adapter adapter, Adapters adapters, Map<String, Object> answer) throws AgentException {
        Map<String, Object> features = new LinkedHashMap<>();
        features.put("scopes", adapters.listed(adapter.name, ".scopes"));
        features.put("step_down", adapters.listed(adapter.name, ".step_down").contains("true"));
        features.put("log_start", adapters.listed(adapter.name, ".log_start").contains("true"));
        features.put("lag_policies", adapters.listed(adapter.name, ".lag_policies"));
        answer.put("features", features);
        answer.put("woven", adapter.wovenMethods());
        answer.put("unknown", KnownMethods.unknown(adapter.allHooks()));
        answer.put("digests", KnownMethods.read(adapter.allHooks(), MethodDigests::of));
    }
}
