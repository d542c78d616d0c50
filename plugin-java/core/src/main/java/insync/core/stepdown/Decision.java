package insync.core.stepdown;

import insync.core.events.EventLog;
import java.util.Map;

/** Describes what the watch decided at one tick about one partition with a slow fetch, a slow append or a read error. */
public final class Decision {
    /** The successor's id if there is no successor. */
    public static final int NOBODY = -1;
    private static final int[] NONE = {};

    private final String topic;
    private final int partition;
    private final int leaderEpoch;
    private final Reason reason;
    private final long pendingMs;
    private final AppendSite site;
    private final long atNanos;
    private final double score;
    private final int[] isr;
    private final boolean leaves;
    private final long restNanos;

    private Decision(SlowPartition of, Reason reason, long atNanos, double score, int[] isr, boolean leaves) {
        this.topic = of.view().topic();
        this.partition = of.view().partition();
        this.leaderEpoch = of.entry().epoch();
        this.reason = reason;
        this.pendingMs = of.reason() == Reason.READ_ERROR ? 0 : of.age() / 1_000_000L;
        this.site = of.site();
        this.atNanos = atNanos;
        this.score = score;
        this.isr = isr;
        this.leaves = leaves;
        this.restNanos = of.entry().restNanos();
    }

    static Decision act(SlowPartition of, long atNanos, double score, int[] isr, boolean leaves) {
        return new Decision(of, of.reason(), atNanos, score, isr, leaves);
    }

    static Decision withhold(SlowPartition of, Reason reason, long atNanos, double score) {
        return new Decision(of, reason, atNanos, score, NONE, false);
    }

    /** Returns whether this broker is to give the partition's leadership away. */
    public boolean acts() {
        return reason.acts();
    }

    public String topic() {
        return topic;
    }

    public int partition() {
        return partition;
    }

    /** The leader epoch of the decision, which is invalid in any other epoch. */
    public int leaderEpoch() {
        return leaderEpoch;
    }

    public Reason reason() {
        return reason;
    }

    /**
     * Returns the ISR to request: the successor first; this broker last, or not at all if it {@link #leaves}. Empty
     * unless the decision acts.
     */
    public int[] isr() {
        return isr.clone();
    }

    /** Returns the next leader, or {@link #NOBODY}. */
    public int successor() {
        return isr.length == 0 ? NOBODY : isr[0];
    }

    /** Returns whether this broker leaves the ISR. */
    public boolean leaves() {
        return leaves;
    }

    /** Returns for how long this broker should not lead the partition again by an automatic election, nanoseconds. */
    public long restNanos() {
        return restNanos;
    }

    /**
     * Returns how long the oldest fetch has been overdue, or the oldest append pending, without pauses of the process,
     * milliseconds; 0 after a read error.
     */
    public long pendingMs() {
        return pendingMs;
    }

    /** Returns where the oldest append is; null after a slow fetch or a read error. */
    public AppendSite site() {
        return site;
    }

    /** Returns the time of the decision, by the broker's monotonic clock. */
    public long atNanos() {
        return atNanos;
    }

    /** This broker's score at the time of the decision. */
    public double score() {
        return score;
    }

    /** Returns whether the ex-leader stays in the ISR, as a value of the config. */
    private String isrPolicy() {
        return StepDownSettings.name(leaves ? StepDownSettings.ExLeader.LEAVE : StepDownSettings.ExLeader.KEEP_LAST);
    }

    /**
     * Returns the decision and its outcome as the fields of an event.
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

    /** Returns the decision as the fields of an event. */
    public Map<String, Object> toMap() {
        Map<String, Object> all = EventLog.fields("topic", topic, "partition", partition, "leader_epoch", leaderEpoch,
            "reason", reason.word(), "pending_ms", pendingMs, "score", StepDownSettings.rounded(score));
        if (site != null) {
            all.put("site", site.word());
        }
        if (acts()) {
            all.put("successor", successor());
            all.put("isr", isr());
            all.put("isr_policy", isrPolicy());
        }
        return all;
    }
}
