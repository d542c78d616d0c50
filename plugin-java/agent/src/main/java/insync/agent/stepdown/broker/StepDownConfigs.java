package insync.agent.stepdown.broker;

import insync.agent.isr.PendingReadsConfig;
import insync.core.events.EventLog;
import insync.core.stepdown.StepDownSettings;
import java.util.List;
import java.util.Map;
import java.util.Set;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;

/** Defines, reads and checks the broker configs of KIP-501's solution 2. */
public final class StepDownConfigs {
    /** KIP-501, "Public Interfaces": the maximum time for which a leader may process followers' fetches, milliseconds. */
    public static final String PROCESS_TIME_MAX_MS = "leader.fetch.process.time.max.ms";
    /** The same for an append to the leader's log, which the KIP does not name. */
    public static final String APPEND_TIME_MAX_MS = "leader.append.process.time.max.ms";
    /** Whether these times are T, or the upper bounds of a T that the broker learns. */
    public static final String PROCESS_TIME_MODE = "leader.fetch.process.time.mode";
    public static final String PROCESS_TIME_MIN_MS = "leader.fetch.process.time.min.ms";
    public static final String PROCESS_TIME_WINDOW_MS = "leader.fetch.process.time.window.ms";
    public static final String VIA = "leader.relinquish.via";
    public static final String ISR = "leader.relinquish.isr";
    public static final String COOLDOWN_MS = "leader.relinquish.cooldown.ms";
    public static final String BUDGET_PER_MINUTE = "leader.relinquish.budget.per.minute";
    public static final String SCORE_THRESHOLD = "leader.relinquish.score.threshold";
    public static final String SCORE_RECOVERY_MS = "leader.relinquish.score.recovery.ms";
    public static final String SLOW_PEERS_MAX_RATIO = "leader.relinquish.slow.peers.max.ratio";
    public static final String DISCONNECT_CLIENTS = "leader.relinquish.disconnect.clients";
    /** Not one of the KIP's solutions: the alternative that its text rejects. */
    public static final String ONLY = "leader.relinquish.only.enable";
    /** Those that can be updated while the broker runs. */
    public static final Set<String> DYNAMIC = Set.of(PROCESS_TIME_MAX_MS, APPEND_TIME_MAX_MS, PROCESS_TIME_MODE,
        PROCESS_TIME_MIN_MS, PROCESS_TIME_WINDOW_MS, COOLDOWN_MS,
        BUDGET_PER_MINUTE, SCORE_THRESHOLD, SCORE_RECOVERY_MS, SLOW_PEERS_MAX_RATIO);
    private static final String FETCH_WAIT_MAX_MS = "replica.fetch.wait.max.ms";
    private static final long UNSET = -1;
    private static final String FIXED = "fixed";
    private static final String LEARNT = "auto";

    private StepDownConfigs() { }

    /**
     * Adds the keys to the broker's config definition, so that Kafka parses, validates and describes them.
     *
     * @param supported whether a leader can step down in the broker's version
     * @param byDefaultMs the time of brokers whose settings do not set one, or -1. With a time, their ex-leaders leave the ISR
     */
    public static void define(ConfigDef definition, boolean supported, long byDefaultMs) {
        definition.define(PROCESS_TIME_MAX_MS, ConfigDef.Type.LONG, byDefaultMs,
            ConfigDef.LambdaValidator.with((name, value) -> checkProcessTime(name, value, supported), () -> "-1 or [1,...]"),
            ConfigDef.Importance.MEDIUM,
            "The maximum time in milliseconds for which a leader may process a follower's fetch (KIP-501, solution 2), without "
                + "the time for which the follower lets it wait for records. If it takes longer, the leader gives its "
                + "partition's leadership to the most caught-up live member of the ISR. -1 means never. Needs "
                + PendingReadsConfig.PENDING_READS + "=true; or see " + ONLY + ". Added by the insync agent.");
        definition.define(APPEND_TIME_MAX_MS, ConfigDef.Type.LONG, UNSET,
            ConfigDef.LambdaValidator.with((name, value) -> checkProcessTime(name, value, supported), () -> "-1 or [1,...]"),
            ConfigDef.Importance.MEDIUM,
            "The maximum time in milliseconds for which a leader may process an append to a partition's log, waits for locks "
                + "included. If it takes longer, the leader gives the partition's leadership away as after a slow fetch. -1 means "
                + "that appends are not timed. Needs " + PROCESS_TIME_MAX_MS + ". Added by the insync agent.");
        definition.define(PROCESS_TIME_MODE, ConfigDef.Type.STRING, FIXED, ConfigDef.ValidString.in(FIXED, LEARNT),
            ConfigDef.Importance.LOW,
            "How long a leader may process a fetch or an append. <code>fixed</code>: for " + PROCESS_TIME_MAX_MS + " and "
                + APPEND_TIME_MAX_MS + ". <code>auto</code>: for a time that this broker learns from its own, which is at most these. "
                + "Has no effect while a leader does not step down. Added by the insync agent.");
        definition.define(PROCESS_TIME_MIN_MS, ConfigDef.Type.LONG, StepDownSettings.DEFAULT_PROCESS_TIME_MIN_MS,
            ConfigDef.Range.atLeast(1), ConfigDef.Importance.LOW,
            "The least time in milliseconds that is learnt, for fetches and for appends; only with " + PROCESS_TIME_MODE + "="
                + LEARNT + ".");
        definition.define(PROCESS_TIME_WINDOW_MS, ConfigDef.Type.LONG, StepDownSettings.DEFAULT_WINDOW_MS,
            ConfigDef.Range.atLeast(StepDownSettings.LEAST_WINDOW_MS), ConfigDef.Importance.LOW,
            "From how much of the past in milliseconds a time is learnt; only with " + PROCESS_TIME_MODE + "=" + LEARNT + ".");
        definition.define(VIA, ConfigDef.Type.STRING, "auto",
            ConfigDef.ValidString.in("alter-partition", "fence", "auto"), ConfigDef.Importance.LOW,
            "How a leader gives leadership away. <code>alter-partition</code>: the KIP's way, it requests an ISR with itself "
                + "moved last; only a controller that runs the insync agent honours it. <code>fence</code>: for any controller; the "
                + "broker asks in its heartbeats to be fenced until it no longer hangs, which moves all that it leads and takes it "
                + "out of every ISR. <code>auto</code>: alter-partition, and if that changes nothing, fence. An append that hangs in "
                + "a partition that the broker follows makes it ask as well, unless this is alter-partition.");
        definition.define(ISR, ConfigDef.Type.STRING, byDefaultMs == UNSET ? "keep-last" : "leave", ConfigDef.ValidString.in("keep-last", "leave"),
            ConfigDef.Importance.LOW,
            "Whether the ex-leader stays in the ISR. <code>keep-last</code>: it stays (KIP-501); acks wait for it until it "
                + "fetches or is removed because of its lag. <code>leave</code>: it leaves with the same request if "
                + "min.insync.replicas or more members remain, and returns by fetching. This needs a controller that runs the "
                + "insync agent.");
        definition.define(COOLDOWN_MS, ConfigDef.Type.LONG, StepDownSettings.DEFAULT_COOLDOWN_MS,
            ConfigDef.Range.atLeast(0), ConfigDef.Importance.LOW,
            "How long in milliseconds a partition stays that came from another leader. One that this broker gave away and that "
                + "returns is given away again sooner. A controller that runs the insync agent does not return it by an automatic "
                + "preferred election for at least this time.");
        definition.define(BUDGET_PER_MINUTE, ConfigDef.Type.INT, StepDownSettings.DEFAULT_BUDGET_PER_MINUTE,
            ConfigDef.Range.atLeast(1), ConfigDef.Importance.LOW,
            "The maximum number of partitions that this broker gives away within any minute.");
        definition.define(SCORE_THRESHOLD, ConfigDef.Type.DOUBLE, StepDownSettings.DEFAULT_SCORE_THRESHOLD,
            between(Double.MIN_VALUE, StepDownSettings.SCORE_MAX), ConfigDef.Importance.LOW,
            "The lowest score at which this broker counts as slow. The score rises with slow fetches and falls slowly.");
        definition.define(SCORE_RECOVERY_MS, ConfigDef.Type.LONG, StepDownSettings.DEFAULT_SCORE_RECOVERY_MS,
            ConfigDef.Range.atLeast(1), ConfigDef.Importance.LOW,
            "Time in milliseconds without a slow fetch in which this broker's score falls by 1.");
        definition.define(SLOW_PEERS_MAX_RATIO, ConfigDef.Type.DOUBLE, StepDownSettings.DEFAULT_SLOW_PEERS_MAX_RATIO,
            between(0.0, 1.0), ConfigDef.Importance.LOW,
            "If a greater share of the live peers is slow, too, this broker does not step down, because that would not help.");
        definition.define(DISCONNECT_CLIENTS, ConfigDef.Type.BOOLEAN, true, ConfigDef.Importance.LOW,
            "Whether clients that cannot be served, because a network thread or all handlers are blocked or their append hangs, are "
                + "disconnected after a step-down instead of waiting for their own timeouts. Needs "
            + PendingReadsConfig.SCOPE + "=" + PendingReadsConfig.REQUEST + ".");
        definition.define(ONLY, ConfigDef.Type.BOOLEAN, false,
            ConfigDef.LambdaValidator.with((name, value) -> checkSupported(name, value, Boolean.TRUE.equals(value), "false",
                supported), () -> "true or false"), ConfigDef.Importance.LOW,
            "Whether a leader steps down without solution 1 of KIP-501, and also when a read for a follower fails. For "
            + "comparison only: KIP-501 names this among its rejected alternatives, because of ISR thrashing. Needs "
            + PendingReadsConfig.PENDING_READS + "=false, and " + PROCESS_TIME_MAX_MS + " of at least "
            + PendingReadsConfig.LAG_TIME_MAX_MS + ". " + PendingReadsConfig.SCOPE
            + " says which part of a fetch's processing counts.");
    }

    /** Returns a range of numbers. Kafka's own contains NaN, which is in no range. */
    private static ConfigDef.Validator between(double least, double most) {
        String range = "[" + least + ",...," + most + "]";
        return ConfigDef.LambdaValidator.with((name, value) -> {
            if (!((Double) value >= least && (Double) value <= most)) {
                throw new ConfigException(name, value, "expected " + range);
            }
        }, () -> range);
    }

    private static void checkProcessTime(String name, Object value, boolean supported) {
        if (value == null || (Long) value != UNSET && (Long) value <= 0) {
            throw new ConfigException(name, value, "expected -1 (never) or more than 0");
        }
        checkSupported(name, value, (Long) value > 0, "-1", supported);
    }

    private static void checkSupported(String name, Object value, boolean on, String off, boolean supported) {
        if (on && !supported) {
            throw new ConfigException(name, value, "expected " + off
                + ": the insync agent has no step-down for this version of Kafka");
        }
    }

    /**
     * Checks configs against each other.
     *
     * @throws ConfigException with the config, its value and what was expected
     */
    public static void check(KafkaConfig config) {
        checkOnly(config);
        if (!isOn(config)) {
            checkAppendTime(config);
            return;
        }
        long time = config.getLong(PROCESS_TIME_MAX_MS);
        if (!PendingReadsConfig.enabled(config) && !relinquishesOnly(config)) {
            throw new ConfigException(PROCESS_TIME_MAX_MS, time, "expected -1, or " + PendingReadsConfig.PENDING_READS
                + "=true: a leader that removes its followers while it is slow has no successor");
        }
        checkBounds(config);
        try {
            read(config);
        } catch (IllegalArgumentException cannotBe) {
            throw new ConfigException(PROCESS_TIME_MAX_MS, time, cannotBe.getMessage());
        }
    }

    /** Checks that what is learnt has a range. */
    private static void checkBounds(KafkaConfig config) {
        long least = config.getLong(PROCESS_TIME_MIN_MS);
        for (String most : List.of(PROCESS_TIME_MAX_MS, APPEND_TIME_MAX_MS)) {
            long time = config.getLong(most);
            if (isLearnt(config) && time != UNSET && least > time) {
                throw new ConfigException(PROCESS_TIME_MIN_MS, least, "expected at most " + most + ", which is " + time);
            }
        }
    }

    /** Checks that a broker that does not step down times no appends. */
    private static void checkAppendTime(KafkaConfig config) {
        long time = config.getLong(APPEND_TIME_MAX_MS);
        if (time != UNSET) {
            throw new ConfigException(APPEND_TIME_MAX_MS, time, "expected -1, or " + PROCESS_TIME_MAX_MS
                + " of more than 0: slow appends make a leader step down by the same rules as slow fetches");
        }
    }

    /** Checks the rejected alternative: without solution 1, and with the least time that the KIP names for it. */
    private static void checkOnly(KafkaConfig config) {
        if (!config.getBoolean(ONLY)) {
            return;
        }
        if (PendingReadsConfig.enabled(config)) {
            throw new ConfigException(ONLY, true, "expected false, or " + PendingReadsConfig.PENDING_READS
                + "=false: KIP-501 rejects it in favour of solution 1");
        }
        if (isLearnt(config)) {
            throw new ConfigException(ONLY, true, "expected false, or " + PROCESS_TIME_MODE + "=" + FIXED
                + ": the KIP names a least time for it");
        }
        long lag = PendingReadsConfig.lagTimeMaxMs(config);
        if (config.getLong(PROCESS_TIME_MAX_MS) < lag) {
            throw new ConfigException(ONLY, true, "expected false, or " + PROCESS_TIME_MAX_MS + " of at least "
                + PendingReadsConfig.LAG_TIME_MAX_MS + ", which is " + lag);
        }
    }

    /** Returns whether this broker steps down without solution 1 of the KIP, and on read errors. */
    public static boolean relinquishesOnly(KafkaConfig config) {
        return isOn(config) && config.getBoolean(ONLY);
    }

    /** Returns whether this broker tracks pending fetches in a scope: to keep followers in the ISR, or only to step down. */
    public static boolean tracks(KafkaConfig config, String scope) {
        return PendingReadsConfig.isOn(config, scope)
            || relinquishesOnly(config) && PendingReadsConfig.scope(config).equals(scope);
    }

    /** Returns whether this broker may step down. */
    public static boolean isOn(KafkaConfig config) {
        Long time = config.getLong(PROCESS_TIME_MAX_MS);
        return time != null && time > 0;
    }

    /** Returns whether a slow append makes this broker step down. */
    public static boolean timesAppends(KafkaConfig config) {
        return isOn(config) && config.getLong(APPEND_TIME_MAX_MS) != UNSET;
    }

    /** Returns whether this broker learns its times, if it steps down. */
    private static boolean isLearnt(KafkaConfig config) {
        return config.getString(PROCESS_TIME_MODE).equals(LEARNT);
    }

    /** Returns T of a broker that may step down, for its log. */
    public static String limit(KafkaConfig config) {
        long most = config.getLong(PROCESS_TIME_MAX_MS);
        return isLearnt(config) ? "T learnt, " + config.getLong(PROCESS_TIME_MIN_MS) + " to " + most + " ms" : "T " + most + " ms";
    }

    /** Returns the settings of a broker that may step down. */
    static StepDownSettings read(KafkaConfig config) {
        StepDownSettings.Builder settings =
            StepDownSettings.of(config.getLong(PROCESS_TIME_MAX_MS), config.getInt(FETCH_WAIT_MAX_MS));
        if (isLearnt(config)) {
            settings.learnt(config.getLong(PROCESS_TIME_MIN_MS), config.getLong(PROCESS_TIME_WINDOW_MS));
        }
        return settings
            .appendTimeMaxMs(config.getLong(APPEND_TIME_MAX_MS))
            .via(StepDownSettings.Via.valueOf(word(config, VIA)))
            .exLeader(StepDownSettings.ExLeader.valueOf(word(config, ISR)))
            .cooldownMs(config.getLong(COOLDOWN_MS))
            .budgetPerMinute(config.getInt(BUDGET_PER_MINUTE))
            .scoreThreshold(config.getDouble(SCORE_THRESHOLD))
            .scoreRecoveryMs(config.getLong(SCORE_RECOVERY_MS))
            .slowPeersMaxRatio(config.getDouble(SLOW_PEERS_MAX_RATIO))
            .build();
    }

    private static String word(KafkaConfig config, String key) {
        return config.getString(key).toUpperCase(java.util.Locale.ROOT).replace('-', '_');
    }

    /** Returns the values of these configs by name, for an event. */
    static Map<String, Object> all(KafkaConfig config) {
        return EventLog.fields("broker", config.brokerId(), PROCESS_TIME_MAX_MS, config.getLong(PROCESS_TIME_MAX_MS),
            APPEND_TIME_MAX_MS, config.getLong(APPEND_TIME_MAX_MS), PROCESS_TIME_MODE, config.getString(PROCESS_TIME_MODE),
            PROCESS_TIME_MIN_MS, config.getLong(PROCESS_TIME_MIN_MS), PROCESS_TIME_WINDOW_MS,
            config.getLong(PROCESS_TIME_WINDOW_MS), VIA, config.getString(VIA), ISR, config.getString(ISR), COOLDOWN_MS, config.getLong(COOLDOWN_MS),
            BUDGET_PER_MINUTE, config.getInt(BUDGET_PER_MINUTE), SCORE_THRESHOLD, config.getDouble(SCORE_THRESHOLD),
            SCORE_RECOVERY_MS, config.getLong(SCORE_RECOVERY_MS),
            SLOW_PEERS_MAX_RATIO, config.getDouble(SLOW_PEERS_MAX_RATIO),
            DISCONNECT_CLIENTS, config.getBoolean(DISCONNECT_CLIENTS), ONLY, config.getBoolean(ONLY));
    }
}
