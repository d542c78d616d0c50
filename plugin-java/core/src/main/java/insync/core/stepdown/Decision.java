package insync.core.stepdown;

import insync.core.EventLog;
import java.util.Map;

/** What the watch decided about one partition with a slow fetch at one tick: data, to be acted on or only told. */
public final class Decision {
    /** The successor where there is none. */
    public static final int NOBODY = -1;
    private static final int[] NONE = {};

    private final String topic;
    private final int partition;
    private final int leaderEpoch;
    private final Reason reason;
    private final long pendingMs;
    private final double score;
    private final int[] isr;
    private final boolean leaves;

    private Decision(PartitionView of, int leaderEpoch, Reason reason, long pendingMs, double score, int[] isr,
            boolean leaves) {
        this.topic = of.topic();
        this.partition = of.partition();
        this.leaderEpoch = leaderEpoch;
        this.reason = reason;
        this.pendingMs = pendingMs;
        this.score = score;
        this.isr = isr;
        this.leaves = leaves;
    }

    static Decision act(PartitionView of, int leaderEpoch, long pendingMs, double score, int[] isr, boolean leaves) {
        return new Decision(of, leaderEpoch, Reason.SLOW_FETCH, pendingMs, score, isr, leaves);
    }

    static Decision withhold(PartitionView of, int leaderEpoch, Reason reason, long pendingMs, double score) {
        return new Decision(of, leaderEpoch, reason, pendingMs, score, NONE, false);
    }

    /** Whether this broker is to give the partition's leadership away. */
    public boolean acts() {
        return reason == Reason.SLOW_FETCH;
    }

    public String topic() {
        return topic;
    }

    public int partition() {
        return partition;
    }

    /** The epoch that was decided about; in another one the decision is void. */
    public int leaderEpoch() {
        return leaderEpoch;
    }

    public Reason reason() {
        return reason;
    }

    /** The ISR to ask for, the successor first; this broker last, or not at all if it {@link #leaves}. Empty unless it acts. */
    public int[] isr() {
        return isr.clone();
    }

    /** Who is to lead, or {@link #NOBODY}. */
    public int successor() {
        return isr.length == 0 ? NOBODY : isr[0];
    }

    /** Whether this broker leaves the ISR. */
    public boolean leaves() {
        return leaves;
    }

    /** How long the oldest fetch has been in the leader's hands, pauses of the process left out, milliseconds. */
    public long pendingMs() {
        return pendingMs;
    }

    /** This broker's score at the time. */
    public double score() {
        return score;
    }

    /** As an event has it. */
    public Map<String, Object> toMap() {
        Map<String, Object> all = EventLog.fields("topic", topic, "partition", partition, "leader_epoch", leaderEpoch,
            "reason", reason.word(), "pending_ms", pendingMs, "score", StepDownSettings.rounded(score));
        if (acts()) {
            all.put("successor", successor());
            all.put("isr", isr());
            all.put("leaves", leaves);
        }
        return all;
    }
}
