package insync.core.log;

import insync.core.events.EventLog;
import insync.core.stepdown.Decision;
import insync.core.stepdown.Outcome;
import insync.core.stepdown.StepDownListener;
import insync.core.stepdown.StepDownSettings;
import java.util.Map;

/** Emits an event for each step-down of this broker, each that a rule prevents, how they ended, and which brokers look slow. */
public final class StepDownEvents implements StepDownListener {
    private final EventLog events;

    public StepDownEvents(EventLog events) {
        this.events = events;
    }

    @Override
    public void decided(Decision decision) {
        Map<String, Object> all = EventLog.fields("topic", decision.topic(), "partition", decision.partition(),
            "leader_epoch", decision.leaderEpoch(), "reason", decision.reason().word(), "pending_ms", decision.pendingMs());
        if (decision.site() != null) {
            all.put("site", decision.site().word());
        }
        if (decision.acts()) {
            all.put("successor", decision.successor());
            all.put("isr", decision.isr());
            all.put("isr_policy", StepDownSettings.name(decision.exLeader()));
        }
        events.emit(decision.acts() ? "step_down" : "step_down_withheld", all);
    }

    @Override
    public void ended(Decision decision, Outcome outcome, String way, String error, long askedMs) {
        events.emit("step_down_answered", EventLog.fields("topic", decision.topic(), "partition", decision.partition(),
            "leader_epoch", decision.leaderEpoch(), "successor", decision.successor(),
            "isr_policy", StepDownSettings.name(decision.exLeader()), "outcome", outcome.word(), "way", way, "error", error,
            "pending_ms", decision.pendingMs(), "asked_ms", askedMs));
    }

    @Override
    public void leaderSlow(boolean slow, long pendingMs) {
        events.emit("leader_slow", EventLog.fields("slow", slow, "pending_ms", pendingMs));
    }

    @Override
    public void peerSlow(int peer, boolean slow) {
        events.emit("peer_slow", EventLog.fields("peer", peer, "slow", slow));
    }
}
