package insync.core.stepdown;

import insync.core.Millis;
import insync.core.events.EventLog;

/**
 * Contains the checked values of the step-down configs. docs/understand/step-down.md explains each default and constant. All parts
 * of a broker's step-down share one instance and read it when they need a value, so {@link #become} reaches them all.
 */
public final class StepDownSettings {
    public static final long DEFAULT_COOLDOWN_MS = 300_000;
    /** Cruise Control moves as many leaders per broker at a time (num.concurrent.leader.movements.per.broker). */
    static final int BUDGET_PER_MINUTE = 250;
    /** The share of the cool-down for which a broker counts as slow after it was: until those that stall in turn have stalled again. */
    private static final int SLOW_SHARE = 10;
    /** If a greater share of the live peers looks slow, a step-down would not help; with three brokers, if both are. */
    private static final double SLOW_PEERS_MAX_RATIO = 0.5;

    /** How the leadership is given away; these rules only pass it on. */
    public enum Via {
        /** AlterPartition with the leader moved last, which only a controller that knows this request honours. */
        ALTER_PARTITION,
        /** The broker asks to be fenced, which any controller grants. */
        FENCE,
        /** The first way, then the second if the first changed nothing. */
        AUTO
    }

    /** What happens to the ex-leader's membership in the ISR. */
    public enum ExLeader {
        /** It stays a member, named last (KIP-501). */
        KEEP_LAST,
        /** It leaves if min.insync.replicas or more remain; otherwise it stays, named last. */
        LEAVE
    }

    private volatile Values values;

    private StepDownSettings(Values values) {
        this.values = values;
    }

    /**
     * Returns settings with all defaults.
     *
     * @param processTimeMaxMs leader.fetch.process.time.max.ms
     * @param fetchWaitMaxMs replica.fetch.wait.max.ms: how long a peer may let this broker's own fetches wait for records
     */
    public static StepDownSettings of(long processTimeMaxMs, long fetchWaitMaxMs) {
        return new StepDownSettings(new Values(processTimeMaxMs, fetchWaitMaxMs));
    }

    /** Whether appends are timed as well; the KIP names fetches only. The settings are made by these, before any part has them. */
    public StepDownSettings appends(boolean value) {
        values.appends = value;
        return this;
    }

    public StepDownSettings via(Via value) {
        values.via = value;
        return this;
    }

    public StepDownSettings exLeader(ExLeader value) {
        values.exLeader = value;
        return this;
    }

    /** How long the leadership of a partition stays after it moved. */
    public StepDownSettings cooldownMs(long value) {
        values.cooldownMs = value;
        return this;
    }

    /** Whether anything keeps this broker from stepping down again and again; the KIP has no limits. */
    public StepDownSettings limited(boolean value) {
        values.limited = value;
        return this;
    }

    /** For tests, which spend it. */
    StepDownSettings budgetPerMinute(int value) {
        values.budgetPerMinute = value;
        return this;
    }

    /** Takes all values of other settings at once. */
    public void become(StepDownSettings other) {
        values = other.values;
    }

    /** Returns T in nanoseconds: for how long a fetch may be overdue at its leader, or an append pending. */
    public long processTimeMaxNanos() {
        return Millis.toNanos(values.processTimeMaxMs);
    }

    /** Returns whether a slow append makes the leader step down. */
    public boolean timesAppends() {
        return values.appends;
    }

    public long fetchWaitMaxNanos() {
        return Millis.toNanos(values.fetchWaitMaxMs);
    }

    public Via via() {
        return values.via;
    }

    public ExLeader exLeader() {
        return values.exLeader;
    }

    public long cooldownNanos() {
        return values.limited ? Millis.toNanos(values.cooldownMs) : 0;
    }

    /** Returns how many partitions this broker gives away in any minute. */
    int budgetPerMinute() {
        return values.limited ? values.budgetPerMinute : Integer.MAX_VALUE;
    }

    /** Returns for how long a broker counts as slow after it was. */
    long slowNanos() {
        return cooldownNanos() / SLOW_SHARE;
    }

    /** Returns the share of the live peers that may look slow while this broker gives partitions away. */
    double slowPeersMaxRatio() {
        return values.limited ? SLOW_PEERS_MAX_RATIO : 1;
    }

    /**
     * Returns the time between two ticks of the watch, milliseconds: a quarter of T, at least 40 and, if T is not more than a minute,
     * at most 1,000. A fetch or append that becomes slow in between makes the next tick earlier.
     */
    public long tickMs() {
        long limitMs = Math.min(values.processTimeMaxMs, Millis.MOST);
        return Math.max(Math.max(40, limitMs / 64), Math.min(1_000, limitMs / 4));
    }

    /** Returns the name in configs and events of one of these enums' values. */
    public static String name(Enum<?> value) {
        return EventLog.word(value).replace('_', '-');
    }

    private static final class Values {
        private final long processTimeMaxMs;
        private final long fetchWaitMaxMs;
        private Via via = Via.AUTO;
        private ExLeader exLeader = ExLeader.LEAVE;
        private boolean appends = true;
        private long cooldownMs = DEFAULT_COOLDOWN_MS;
        private boolean limited = true;
        private int budgetPerMinute = BUDGET_PER_MINUTE;

        private Values(long processTimeMaxMs, long fetchWaitMaxMs) {
            this.processTimeMaxMs = processTimeMaxMs;
            this.fetchWaitMaxMs = fetchWaitMaxMs;
        }
    }
}
