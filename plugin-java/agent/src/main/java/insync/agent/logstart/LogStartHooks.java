package insync.agent.logstart;

import insync.agent.weave.Hook;
import java.util.ArrayList;
import java.util.List;

/** The hooks behind the two configs, as a version of Kafka needs them; each woven only when its config is on. */
public final class LogStartHooks {
    private final List<Hook> bound;
    private final List<Hook> snapshot;

    public LogStartHooks(List<Hook> bound, List<Hook> snapshot) {
        this.bound = bound;
        this.snapshot = snapshot;
    }

    /**
     * Those of all versions from 3.9 on.
     *
     * @param log the class of a partition's log
     */
    public static LogStartHooks since39(String log) {
        return new LogStartHooks(List.of(LogHooks.bound(log)), List.of(LogReadInfoHooks.snapshot()));
    }

    List<Hook> bound() {
        return bound;
    }

    List<Hook> snapshot() {
        return snapshot;
    }

    public List<Hook> all() {
        List<Hook> all = new ArrayList<>(bound);
        all.addAll(snapshot);
        return all;
    }
}
