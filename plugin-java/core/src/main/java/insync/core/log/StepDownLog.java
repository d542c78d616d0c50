package insync.core.log;

import insync.core.log.BrokerLog.Level;
import insync.core.log.BrokerLog.Name;
import insync.core.stepdown.Decision;
import insync.core.stepdown.Outcome;
import insync.core.stepdown.StepDownListener;

/** Logs each step-down of this broker, each that a rule prevents, and how they ended. */
public final class StepDownLog implements StepDownListener {
    private final BrokerLog log;

    public StepDownLog(BrokerLog log) {
        this.log = log;
    }

    @Override
    public void decided(Decision decision) {
        log.offer(Name.STEP_DOWN, Level.INFO, () -> of(decision) + (decision.acts()
            ? "This leader steps down (" + why(decision) + "): it asks the controller to make broker "
                + decision.successor() + " the leader"
            : "This leader does not step down (" + why(decision) + ")"));
    }

    @Override
    public void ended(Decision decision, Outcome outcome, String way, String error, long askedMs) {
        boolean done = outcome == Outcome.DONE;
        log.offer(Name.STEP_DOWN, done ? Level.INFO : Level.WARN, () -> of(decision) + "The step-down in leader epoch "
            + decision.leaderEpoch() + (done ? " is done" : " ended as " + outcome.word()) + " after " + askedMs + " ms"
            + (way == null ? "" : " by " + way) + (error == null ? "" : ": " + error));
    }

    private static String of(Decision decision) {
        return "[Partition " + decision.topic() + "-" + decision.partition() + "] ";
    }

    private static String why(Decision decision) {
        return "reason " + decision.reason().word() + ", leader epoch " + decision.leaderEpoch() + ", " + cause(decision);
    }

    private static String cause(Decision decision) {
        if (decision.site() != null) {
            return "an append has been pending for " + decision.pendingMs() + " ms at site " + decision.site().word();
        }
        return decision.pendingMs() == 0 ? "a read for a follower failed"
            : "a follower's fetch is overdue by " + decision.pendingMs() + " ms";
    }
}
