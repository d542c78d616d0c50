package insync.core.stepdown;

/** Describes what the watch decided at one tick about one partition with a slow fetch, a slow append or a read error. */
public final class Decision {
    /** The successor's id if there is no successor. */
    public static final int NOBODY = -1;
    private static final int[] NONE = {};

    public final String topic;
    public final int partition;
    /** The leader epoch of the decision, which is invalid in any other epoch. */
    public final int leaderEpoch;
    public final Reason reason;
    /**
     * How long the oldest fetch has been overdue, or the oldest append pending, without pauses of the process, milliseconds; 0
     * after a read error.
     */
    public final long pendingMs;
    /** Where the oldest append is; null after a slow fetch or a read error. */
    public final AppendSite site;
    /** The time of the decision, by the broker's monotonic clock. */
    public final long atNanos;
    private final int[] isr;
    /** Whether this broker leaves the ISR. */
    public final boolean leaves;
    /** For how long this broker should not lead the partition again by an automatic election, nanoseconds. */
    public final long restNanos;

    private Decision(SlowPartition of, Reason reason, long atNanos, int[] isr, boolean leaves) {
        this.topic = of.view.topic();
        this.partition = of.view.partition();
        this.leaderEpoch = of.entry.epoch;
        this.reason = reason;
        this.pendingMs = of.reason == Reason.READ_ERROR ? 0 : of.age / 1_000_000L;
        this.site = of.site;
        this.atNanos = atNanos;
        this.isr = isr;
        this.leaves = leaves;
        this.restNanos = of.entry.restNanos();
    }

    static Decision act(SlowPartition of, long atNanos, int[] isr, boolean leaves) {
        return new Decision(of, of.reason, atNanos, isr, leaves);
    }

    static Decision withhold(SlowPartition of, Reason reason, long atNanos) {
        return new Decision(of, reason, atNanos, NONE, false);
    }

    /** Returns whether this broker is to give the partition's leadership away. */
    public boolean acts() {
        return reason.acts();
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

    /**
     * Returns whether the requested order still names the members of an ISR, except this broker, which may leave.
     *
     * @param members the partition's present ISR
     * @param self this broker's id
     */
    public boolean names(int[] members, int self) {
        int others = 0;
        int found = 0;
        for (int member : members) {
            others += member == self ? 0 : 1;
            for (int id : isr) {
                found += id == member && id != self ? 1 : 0;
            }
        }
        return found == others && found > 0;
    }
}
