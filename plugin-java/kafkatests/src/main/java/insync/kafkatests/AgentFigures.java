package insync.kafkatests;

import insync.core.Insync;
import java.util.LinkedHashMap;
import java.util.Map;

/** Holds what the agent had done in this JVM at one time. Loaded only in a JVM with the agent. */
final class AgentFigures {
    private final Map<String, Long> figures;

    private AgentFigures(Map<String, Long> figures) {
        this.figures = figures;
    }

    static AgentFigures now() {
        Map<String, Long> figures = new LinkedHashMap<>();
        figures.put("errors", Insync.current().failures.count());
        Insync.current().stats.toMap().forEach((name, value) -> figures.put(name, ((Number) value).longValue()));
        return new AgentFigures(figures);
    }

    /** Returns what the agent has done since then, by name. */
    Map<String, Long> since() {
        Map<String, Long> since = new LinkedHashMap<>();
        now().figures.forEach((name, value) -> since.put(name, value - figures.getOrDefault(name, 0L)));
        return since;
    }
}
