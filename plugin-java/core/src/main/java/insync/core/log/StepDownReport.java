package insync.core.log;

import insync.core.events.EventLog;
import insync.core.log.BrokerLog.Level;
import insync.core.log.BrokerLog.Name;
import insync.core.stepdown.Decision;
import insync.core.stepdown.Outcome;
import insync.core.stepdown.StepDownSettings;
import insync.core.stepdown.StepDownSettings.ExLeader;
import java.util.Map;

/** Logs each step-down of this broker, each that a rule prevents, and how they ended; emits events for these and for slow brokers. Never waits. */
public final class StepDownReport {
    private final BrokerLog log;
    private final EventLog events;

    public StepDownReport(BrokerLog log, EventLog events) {
        this.log = log;
        this.events = events;
    }

    /** Reports a decision, once per reason and partition while its fetches are slow. */
    public void decided(Decision decision) {
        log.offer(Name.STEP_DOWN, Level.INFO, () -> of(decision) + (decision.acts()
            ? "This leader steps down (" + why(decision) + "): it asks the controller to make broker "
                + decision.successor() + " the leader"
            : "This leader does not step down (" + why(decision) + ")"));
        Map<String, Object> all = EventLog.fields("topic", decision.topic, "partition", decision.partition,
            "leader_epoch", decision.leaderEpoch, "reason", EventLog.word(decision.reason), "pending_ms", decision.pendingMs);
        if (decision.site != null) {
            all.put("site", EventLog.word(decision.site));
        }
        if (decision.acts()) {
            all.put("successor", decision.successor());
            all.put("isr", decision.isr());
            all.put("isr_policy", policy(decision));
        }
        events.emit(decision.acts() ? "step_down" : "step_down_withheld", all);
    }

    /**
     * Reports how a requested step-down ended.
     *
     * @param way how it was requested, or null
     * @param error null if there is none
     */
    public void ended(Decision decision, Outcome outcome, String way, String error, long nowNanos) {
        long askedMs = (nowNanos - decision.atNanos) / 1_000_000L;
        boolean done = outcome == Outcome.DONE;
        log.offer(Name.STEP_DOWN, done ? Level.INFO : Level.WARN, () -> of(decision) + "The step-down in leader epoch "
            + decision.leaderEpoch + (done ? " is done" : " ended as " + EventLog.word(outcome)) + " after " + askedMs + " ms"
            + (way == null ? "" : " by " + way) + (error == null ? "" : ": " + error));
        events.emit("step_down_answered", EventLog.fields("topic", decision.topic, "partition", decision.partition,
            "leader_epoch", decision.leaderEpoch, "successor", decision.successor(),
            "isr_policy", policy(decision), "outcome", EventLog.word(outcome), "way", way, "error", error,
            "pending_ms", decision.pendingMs, "asked_ms", askedMs));
    }

    /**
     * Reports that this broker counts as slow from now on, or no longer.
     *
     * @param pendingMs the age of the slow fetch or append that is furthest beyond its limit, milliseconds; 0 if there is none
     */
    public void leaderSlow(boolean slow, long pendingMs) {
        events.emit("leader_slow", EventLog.fields("slow", slow, "pending_ms", pendingMs));
    }

    public void peerSlow(int peer, boolean slow) {
        events.emit("peer_slow", EventLog.fields("peer", peer, "slow", slow));
    }

    private static String policy(Decision decision) {
        return StepDownSettings.name(decision.leaves ? ExLeader.LEAVE : ExLeader.KEEP_LAST);
    }

    private static String of(Decision decision) {
        return "[Partition " + decision.topic + "-" + decision.partition + "] ";
    }

    private static String why(Decision decision) {
        return "reason " + EventLog.word(decision.reason) + ", leader epoch " + decision.leaderEpoch + ", " + cause(decision);
    }

    private static String cause(Decision decision) {
        if (decision.site != null) {
            return "an append has been pending for " + decision.pendingMs + " ms at site " + EventLog.word(decision.site);
        }
        return decision.pendingMs == 0 ? "a read for a follower failed"
            : "a follower's fetch is overdue by " + decision.pendingMs + " ms";
    }
}
