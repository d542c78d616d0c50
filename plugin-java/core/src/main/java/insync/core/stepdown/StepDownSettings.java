package insync.core.stepdown;

import insync.core.Millis;
import insync.core.isr.TimeCounts;
import java.util.Locale;

/**
 * Contains the checked values of the step-down configs, and their defaults. docs/understand/step-down.md explains each
 * default. All parts of a broker's step-down share one instance and read it when they need a value, so {@link #become}
 * reaches them all.
 */
public final class StepDownSettings {
    /** The highest possible score, see {@link SlowScore}. */
    public static final double SCORE_MAX = 5;
    private static final long NEVER = -1;
    public static final long DEFAULT_COOLDOWN_MS = 300_000;
    public static final int DEFAULT_BUDGET_PER_MINUTE = 250;
    public static final double DEFAULT_SCORE_THRESHOLD = 1;
    public static final long DEFAULT_SCORE_RECOVERY_MS = 60_000;
    public static final double DEFAULT_SLOW_PEERS_MAX_RATIO = 0.5;
    public static final long DEFAULT_PROCESS_TIME_MIN_MS = 1_000;
    public static final long DEFAULT_WINDOW_MS = 900_000;
    /** Shorter slots would have few times. */
    public static final long LEAST_WINDOW_MS = 1_000;

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

    private volatile Builder values;
    /** Null while the limits are fixed. */
    private volatile LearntLimits learnt;

    private StepDownSettings(Builder values) {
        this.values = values;
        this.learnt = values.isLearnt() ? new LearntLimits() : null;
        require(values.processTimeMaxMs > 0, "process time, ms", values.processTimeMaxMs, "more than 0");
        require(values.appendTimeMaxMs > 0 || values.appendTimeMaxMs == NEVER, "process time of an append, ms",
            values.appendTimeMaxMs, "more than 0, or " + NEVER);
        if (values.isLearnt()) {
            requireBounds(values);
        }
        require(values.cooldownMs >= 0, "cool-down, ms", values.cooldownMs, "0 or more");
        require(values.budgetPerMinute > 0, "budget per minute", values.budgetPerMinute, "1 or more");
        require(values.scoreThreshold > 0 && values.scoreThreshold <= SCORE_MAX, "score threshold",
            values.scoreThreshold, "more than 0, " + SCORE_MAX + " at most");
        require(values.scoreRecoveryMs > 0, "recovery of the score, ms", values.scoreRecoveryMs, "more than 0");
        require(values.slowPeersMaxRatio >= 0 && values.slowPeersMaxRatio <= 1, "ratio of slow peers",
            values.slowPeersMaxRatio, "between 0 and 1");
    }

    private static void requireBounds(Builder values) {
        long most = values.appendTimeMaxMs == NEVER ? values.processTimeMaxMs
            : Math.min(values.processTimeMaxMs, values.appendTimeMaxMs);
        require(values.processTimeMinMs > 0 && values.processTimeMinMs <= most, "least process time, ms", values.processTimeMinMs,
            "more than 0, and at most each maximum, of which the least is " + most);
        require(values.windowMs >= LEAST_WINDOW_MS, "window of the process times, ms", values.windowMs, LEAST_WINDOW_MS + " or more");
    }

    /**
     * Returns a builder of settings with all defaults.
     *
     * @param processTimeMaxMs leader.fetch.process.time.max.ms
     * @param fetchWaitMaxMs replica.fetch.wait.max.ms: how long a peer may let this broker's own fetches wait for records
     */
    public static Builder of(long processTimeMaxMs, long fetchWaitMaxMs) {
        return new Builder(processTimeMaxMs, fetchWaitMaxMs);
    }

    /** Takes all values of other settings at once. What is learnt is kept, unless the limits are fixed from now on. */
    public void become(StepDownSettings other) {
        LearntLimits before = learnt;
        learnt = before == null || other.learnt == null ? other.learnt : before;
        values = other.values;
    }

    /** Returns for how long a fetch may be overdue at its leader, T, in nanoseconds: as it is set, or as it is learnt. */
    public long processTimeMaxNanos() {
        return Millis.toNanos(fetchLimitMs());
    }

    /** Returns T of fetches that is in force now, milliseconds. */
    public long fetchLimitMs() {
        Builder set = values;
        LearntLimits limits = learnt;
        return limits == null ? set.processTimeMaxMs : limits.fetches.limitMs(set.processTimeMinMs, set.processTimeMaxMs);
    }

    /** Returns T of appends that is in force now, milliseconds; -1 if appends are not timed. */
    public long appendLimitMs() {
        Builder set = values;
        LearntLimits limits = learnt;
        return limits == null || set.appendTimeMaxMs == NEVER ? set.appendTimeMaxMs
            : limits.appends.limitMs(set.processTimeMinMs, set.appendTimeMaxMs);
    }

    /** Returns where to add how long each fetch was overdue when it ended, or null if T is not learnt. */
    public TimeCounts fetchTimes() {
        LearntLimits limits = learnt;
        return limits == null ? null : limits.fetches.times();
    }

    /** Returns where to add how long each append took, or null if its T is not learnt. */
    public TimeCounts appendTimes() {
        LearntLimits limits = learnt;
        return limits == null || !timesAppends() ? null : limits.appends.times();
    }

    /** Learns from the times that were added; the watch's thread calls it at each tick. */
    void learn(long now) {
        LearntLimits limits = learnt;
        if (limits != null) {
            long window = Millis.toNanos(values.windowMs);
            limits.fetches.tick(now, window, fetchLimitMs());
            limits.appends.tick(now, window, appendLimitMs());
        }
    }

    /** Returns what the limit was learnt from that a partition exceeds; null if it is not learnt. */
    LimitBasis basis(SlowPartition exceeding) {
        Builder set = values;
        LearntLimits limits = learnt;
        if (limits == null || exceeding.reason() == Reason.READ_ERROR) {
            return null;
        }
        long pausedMs = exceeding.paused() / 1_000_000L;
        return exceeding.reason() == Reason.SLOW_APPEND
            ? limits.appends.basis(LimitBasis.APPEND, pausedMs, set.processTimeMinMs, set.appendTimeMaxMs)
            : limits.fetches.basis(LimitBasis.FETCH, pausedMs, set.processTimeMinMs, set.processTimeMaxMs);
    }

    /**
     * Returns how much longer than T a fetch or an append may take because the process was paused in the meantime: the pauses, up to
     * the upper bound of a T that is learnt; 0 if T is set. Nanoseconds.
     */
    long pauseNanos(Reason exceeding, long pausedNanos) {
        Builder set = values;
        LearntLimits limits = learnt;
        if (limits == null) {
            return 0;
        }
        return exceeding == Reason.SLOW_APPEND
            ? limits.appends.upTo(pausedNanos, set.processTimeMinMs, set.appendTimeMaxMs)
            : limits.fetches.upTo(pausedNanos, set.processTimeMinMs, set.processTimeMaxMs);
    }

    /** Returns whether a slow append makes the leader step down. */
    public boolean timesAppends() {
        return values.appendTimeMaxMs != NEVER;
    }

    /** Returns for how long an append to a leader's log may take, in nanoseconds; only if {@link #timesAppends}. */
    public long appendTimeMaxNanos() {
        return Millis.toNanos(appendLimitMs());
    }

    /** Returns the shorter of the limits that are on, nanoseconds. */
    /** Returns the shorter one of both T, nanoseconds. */
    public long shortestNanos() {
        return timesAppends() ? Math.min(processTimeMaxNanos(), appendTimeMaxNanos()) : processTimeMaxNanos();
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
        return Millis.toNanos(values.cooldownMs);
    }

    public int budgetPerMinute() {
        return values.budgetPerMinute;
    }

    public double scoreThreshold() {
        return values.scoreThreshold;
    }

    public long scoreRecoveryNanos() {
        return Millis.toNanos(values.scoreRecoveryMs);
    }

    public double slowPeersMaxRatio() {
        return values.slowPeersMaxRatio;
    }

    /**
     * Returns the time between two ticks of the watch, milliseconds: a quarter of the shortest limit, at least 40 and, if no limit
     * is more than a minute, at most 1,000. A fetch or append that becomes slow in between makes the next tick earlier.
     */
    public long tickMs() {
        long shortestMs = shortestNanos() / 1_000_000L;
        long longestMs = Math.min(Math.max(fetchLimitMs(), appendLimitMs()), Millis.MOST);
        return Math.max(Math.max(40, longestMs / 64), Math.min(1_000, shortestMs / 4));
    }

    /** Returns an enum value's name in configs and events. */
    public static String name(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns a score rounded as in events. */
    public static double rounded(double score) {
        return Math.round(score * 100) / 100.0;
    }

    private static void require(boolean valid, String what, Object value, String expected) {
        if (!valid) {
            throw new IllegalArgumentException(what + " is " + value + ", expected " + expected);
        }
    }

    /** The limits of a broker that learns them. */
    private static final class LearntLimits {
        private final LearntLimit fetches = new LearntLimit();
        private final LearntLimit appends = new LearntLimit();
    }

    /** Collects settings; {@link #build} checks them. */
    public static final class Builder {
        private final long processTimeMaxMs;
        private final long fetchWaitMaxMs;
        private Via via = Via.AUTO;
        private ExLeader exLeader = ExLeader.KEEP_LAST;
        private long appendTimeMaxMs = NEVER;
        private long processTimeMinMs = NEVER;
        private long windowMs = NEVER;
        private long cooldownMs = DEFAULT_COOLDOWN_MS;
        private int budgetPerMinute = DEFAULT_BUDGET_PER_MINUTE;
        private double scoreThreshold = DEFAULT_SCORE_THRESHOLD;
        private long scoreRecoveryMs = DEFAULT_SCORE_RECOVERY_MS;
        private double slowPeersMaxRatio = DEFAULT_SLOW_PEERS_MAX_RATIO;

        private Builder(long processTimeMaxMs, long fetchWaitMaxMs) {
            this.processTimeMaxMs = processTimeMaxMs;
            this.fetchWaitMaxMs = fetchWaitMaxMs;
        }

        /** leader.append.process.time.max.ms; -1: appends are not timed. */
        public Builder appendTimeMaxMs(long value) {
            appendTimeMaxMs = value;
            return this;
        }

        /**
         * leader.fetch.process.time.mode=auto: T is learnt.
         *
         * @param minMs leader.fetch.process.time.min.ms; its upper bounds are the times that are set
         * @param learnsFromMs leader.fetch.process.time.window.ms
         */
        public Builder learnt(long minMs, long learnsFromMs) {
            processTimeMinMs = minMs;
            windowMs = learnsFromMs;
            return this;
        }

        private boolean isLearnt() {
            return windowMs != NEVER;
        }

        /** leader.relinquish.via. */
        public Builder via(Via value) {
            via = value;
            return this;
        }

        /** leader.relinquish.isr. */
        public Builder exLeader(ExLeader value) {
            exLeader = value;
            return this;
        }

        /** leader.relinquish.cooldown.ms: how long the leadership of a partition stays after it moved. */
        public Builder cooldownMs(long value) {
            cooldownMs = value;
            return this;
        }

        /** leader.relinquish.budget.per.minute: how many partitions this broker gives away in any minute. */
        public Builder budgetPerMinute(int value) {
            budgetPerMinute = value;
            return this;
        }

        /** leader.relinquish.score.threshold: the lowest score at which a broker counts as slow. */
        public Builder scoreThreshold(double value) {
            scoreThreshold = value;
            return this;
        }

        /** leader.relinquish.score.recovery.ms: time without a slow fetch in which a score falls by 1. */
        public Builder scoreRecoveryMs(long value) {
            scoreRecoveryMs = value;
            return this;
        }

        /** leader.relinquish.slow.peers.max.ratio: if a greater share of the live peers is slow, nothing is given away. */
        public Builder slowPeersMaxRatio(double value) {
            slowPeersMaxRatio = value;
            return this;
        }

        /** @throws IllegalArgumentException with the invalid value and what was expected */
        public StepDownSettings build() {
            return new StepDownSettings(copy());
        }

        private Builder copy() {
            return new Builder(processTimeMaxMs, fetchWaitMaxMs).appendTimeMaxMs(appendTimeMaxMs)
                .learnt(processTimeMinMs, windowMs).via(via).exLeader(exLeader).cooldownMs(cooldownMs)
                .budgetPerMinute(budgetPerMinute).scoreThreshold(scoreThreshold).scoreRecoveryMs(scoreRecoveryMs)
                .slowPeersMaxRatio(slowPeersMaxRatio);
        }
    }
}
