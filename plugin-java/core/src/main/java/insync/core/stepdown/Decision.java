package insync.core.stepdown;

import insync.core.events.EventLog;
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
    private final long atNanos;
    private final double score;
    private final int[] isr;
    private final boolean leaves;

    private Decision(PartitionView of, int leaderEpoch, Reason reason, long pendingMs, long atNanos, double score,
            int[] isr, boolean leaves) {
        this.topic = of.topic();
        this.partition = of.partition();
        this.leaderEpoch = leaderEpoch;
        this.reason = reason;
        this.pendingMs = pendingMs;
        this.atNanos = atNanos;
        this.score = score;
        this.isr = isr;
        this.leaves = leaves;
    }

    static Decision act(PartitionView of, int leaderEpoch, long pendingMs, long atNanos, double score, int[] isr,
            boolean leaves) {
        return new Decision(of, leaderEpoch, Reason.SLOW_FETCH, pendingMs, atNanos, score, isr, leaves);
    }

    static Decision withhold(PartitionView of, int leaderEpoch, Reason reason, long pendingMs, long atNanos,
            double score) {
        return new Decision(of, leaderEpoch, reason, pendingMs, atNanos, score, NONE, false);
    }

    /** Returns whether this broker is to give the partition's leadership away. */
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

    /**
     * Returns the ISR to ask for, the successor first; this broker last, or not at all if it {@link #leaves}. Empty
     * unless it acts.
     */
    public int[] isr() {
        return isr.clone();
    }

    /** Who is to lead, or {@link #NOBODY}. */
    public int successor() {
        return isr.length == 0 ? NOBODY : isr[0];
    }

    /** Returns whether this broker leaves the ISR. */
    public boolean leaves() {
        return leaves;
    }

    /** Returns how long the leader has been processing the oldest fetch, pauses of the process left out, milliseconds. */
    public long pendingMs() {
        return pendingMs;
    }

    /** Returns when it was decided, by the broker's monotonic clock. */
    public long atNanos() {
        return atNanos;
    }

    /** This broker's score at the time. */
    public double score() {
        return score;
    }

    /** Returns whether the ex-leader stays in the ISR, as the config writes it. */
    private String isrPolicy() {
        return StepDownSettings.name(leaves ? StepDownSettings.ExLeader.LEAVE : StepDownSettings.ExLeader.KEEP_LAST);
    }

    /**
     * Returns the decision and its outcome, as an event has them.
     *
     * @param way how it was requested, null if it was not
     * @param error null if there is none
     * @param nowNanos by the broker's monotonic clock
     */
    Map<String, Object> toMap(Outcome outcome, String way, String error, long nowNanos) {
        return EventLog.fields("topic", topic, "partition", partition, "leader_epoch", leaderEpoch,
            "successor", successor(), "isr_policy", isrPolicy(), "outcome", outcome.word(), "way", way, "error", error,
            "pending_ms", pendingMs, "asked_ms", (nowNanos - atNanos) / 1_000_000L);
    }

    /** Returns it as an event has it. */
    public Map<String, Object> toMap() {
        Map<String, Object> all = EventLog.fields("topic", topic, "partition", partition, "leader_epoch", leaderEpoch,
            "reason", reason.word(), "pending_ms", pendingMs, "score", StepDownSettings.rounded(score));
        if (acts()) {
            all.put("successor", successor());
            all.put("isr", isr());
            all.put("isr_policy", isrPolicy());
        }
        return all;
    }
}
