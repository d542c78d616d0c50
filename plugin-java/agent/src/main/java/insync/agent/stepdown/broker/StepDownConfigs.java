package insync.agent.stepdown.broker;

import insync.agent.Extension;
import insync.agent.isr.PendingReadsConfig;
import insync.core.stepdown.StepDownSettings;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;

/** Defines, reads and checks the broker configs of KIP-501's solution 2. */
public final class StepDownConfigs {
    /** KIP-501, "Public Interfaces": the maximum time for which a leader may process followers' fetches, milliseconds. */
    public static final String PROCESS_TIME_MAX_MS = "leader.fetch.process.time.max.ms";
    /** Whether appends to the leader's log have the same limit, which the KIP does not name. */
    public static final String APPENDS = "insync.appends.enable";
    public static final String VIA = "insync.relinquish.via";
    public static final String ISR = "insync.relinquish.isr";
    public static final String COOLDOWN_MS = "insync.relinquish.cooldown.ms";
    /** Whether anything keeps a broker from stepping down again and again. */
    public static final String LIMITS = "insync.relinquish.limits.enable";
    private static final String FETCH_WAIT_MAX_MS = "replica.fetch.wait.max.ms";
    private static final long UNSET = -1;

    private StepDownConfigs() { }

    /**
     * Adds the keys to the broker's config definition, so that Kafka parses, validates and describes them.
     *
     * @param supported whether a leader can step down in the broker's version
     */
    public static void define(ConfigDef definition, boolean supported) {
        definition.define(PROCESS_TIME_MAX_MS, ConfigDef.Type.LONG, UNSET,
            (name, value) -> checkProcessTime(name, value, supported),
            ConfigDef.Importance.MEDIUM,
            "The maximum time in milliseconds for which a leader may process a follower's fetch (KIP-501, solution 2), without "
                + "the time for which the follower lets it wait for records. If it takes longer, the leader gives its "
                + "partition's leadership to the most caught-up live member of the ISR. -1 means never. Needs "
                + PendingReadsConfig.PENDING_READS + "=true. Added by the insync agent.");
        definition.define(APPENDS, ConfigDef.Type.BOOLEAN, true, ConfigDef.Importance.MEDIUM,
            "Whether " + PROCESS_TIME_MAX_MS + " is the maximum time for an append to a partition's log as well, waits for locks "
                + "included. Has no effect while a leader does not step down. Added by the insync agent.");
        definition.define(VIA, ConfigDef.Type.STRING, "auto",
            ConfigDef.ValidString.in("alter-partition", "fence", "auto"), ConfigDef.Importance.LOW,
            "How a leader gives leadership away. <code>alter-partition</code>: the KIP's way, it requests an ISR with itself "
                + "moved last; only a controller that runs the insync agent honours it. <code>fence</code>: for any controller; the "
                + "broker asks in its heartbeats to be fenced until it no longer hangs, which moves all that it leads and takes it "
                + "out of every ISR. <code>auto</code>: alter-partition, and if that changes nothing, fence. An append that hangs in "
                + "a partition that the broker follows makes it ask as well, unless this is alter-partition.");
        definition.define(ISR, ConfigDef.Type.STRING, "leave", ConfigDef.ValidString.in("keep-last", "leave"),
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
        definition.define(LIMITS, ConfigDef.Type.BOOLEAN, true, ConfigDef.Importance.LOW,
            "Whether the cool-down, a budget per minute and slow peers keep this broker from stepping down. KIP-501 has no such "
                + "limits; without them brokers that are slow in turn pass leadership on and on.");
    }

    private static void checkProcessTime(String name, Object value, boolean supported) {
        if (value == null || (Long) value != UNSET && (Long) value <= 0) {
            throw new ConfigException(name, value, "expected -1 (never) or more than 0");
        }
        if ((Long) value > 0 && !supported) {
            throw new ConfigException(name, value, "expected -1: the insync agent has no step-down for this version of Kafka");
        }
    }

    /**
     * Checks configs against each other.
     *
     * @throws ConfigException with the config, its value and what was expected
     */
    public static void check(KafkaConfig config) {
        long time = config.getLong(PROCESS_TIME_MAX_MS);
        if (isOn(config) && !PendingReadsConfig.enabled(config) && !relinquishesOnly(config)) {
            throw new ConfigException(PROCESS_TIME_MAX_MS, time, "expected -1, or " + PendingReadsConfig.PENDING_READS
                + "=true: a leader that removes its followers while it is slow has no successor");
        }
    }

    /** Returns whether this broker steps down without solution 1 of the KIP, and on read errors. */
    public static boolean relinquishesOnly(KafkaConfig config) {
        return isOn(config) && Extension.current().relinquishesOnly(config);
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
        return isOn(config) && config.getBoolean(APPENDS);
    }

    /** Returns T of a broker that may step down, for its log. */
    public static String limit(KafkaConfig config) {
        return "T " + config.getLong(PROCESS_TIME_MAX_MS) + " ms";
    }

    static StepDownSettings read(KafkaConfig config) {
        return StepDownSettings.of(config.getLong(PROCESS_TIME_MAX_MS), config.getInt(FETCH_WAIT_MAX_MS))
            .appends(config.getBoolean(APPENDS))
            .via(StepDownSettings.Via.valueOf(word(config, VIA)))
            .exLeader(StepDownSettings.ExLeader.valueOf(word(config, ISR)))
            .cooldownMs(config.getLong(COOLDOWN_MS))
            .limited(config.getBoolean(LIMITS));
    }

    private static String word(KafkaConfig config, String key) {
        return config.getString(key).toUpperCase(java.util.Locale.ROOT).replace('-', '_');
    }
}
