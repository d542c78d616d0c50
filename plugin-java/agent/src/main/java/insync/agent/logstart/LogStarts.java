package insync.agent.logstart;

import insync.core.Insync;
import insync.core.logstart.LogStartRule;

/** Applies the core's rule for the hooks, and counts corrections. */
public final class LogStarts {

    private LogStarts() { }

    /** Returns the log start offset to which a follower may move; see {@link LogStartRule#bounded}. */
    public static long bounded(long leaders, long ownEnd, long ownHighWatermark) {
        long bounded = Insync.isDisabled() ? leaders : LogStartRule.bounded(leaders, ownEnd, ownHighWatermark);
        if (bounded != leaders) {
            Insync.current().logStarts().bounded();
        }
        return bounded;
    }

    /** Returns the log start offset for a leader's response; see {@link LogStartRule#ofAnswer}. */
    public static long ofAnswer(long logStart, long highWatermark) {
        long start = Insync.isDisabled() ? logStart : LogStartRule.ofAnswer(logStart, highWatermark);
        if (start != logStart) {
            Insync.current().logStarts().snapshot();
        }
        return start;
    }
}
