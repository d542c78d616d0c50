package insync.core.log;

import insync.core.events.EventLog;
import insync.core.stepdown.Decision;
import insync.core.stepdown.LimitBasis;
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
            "leader_epoch", decision.leaderEpoch(), "reason", decision.reason().word(), "pending_ms", decision.pendingMs(),
            "score", StepDownSettings.rounded(decision.score()));
        if (decision.site() != null) {
            all.put("site", decision.site().word());
        }
        LimitBasis limit = decision.limit();
        if (limit != null) {
            all.putAll(EventLog.fields("limit_site", limit.site(), "limit_ms", limit.limitMs(), "limit_paused_ms", limit.pausedMs(),
                "limit_samples", limit.samples(), "limit_percentile_ms", limit.percentileMs(),
                "limit_min_ms", limit.minMs(), "limit_max_ms", limit.maxMs()));
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
    public void leaderSlow(boolean slow, double score, long pendingMs) {
        events.emit("leader_slow", EventLog.fields("slow", slow, "score", StepDownSettings.rounded(score),
            "pending_ms", pendingMs));
    }

    @Override
    public void peerSlow(int peer, boolean slow, double score) {
        events.emit("peer_slow", EventLog.fields("peer", peer, "slow", slow, "score", StepDownSettings.rounded(score)));
    }
}
