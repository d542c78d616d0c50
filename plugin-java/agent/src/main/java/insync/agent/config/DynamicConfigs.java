package insync.agent.config;

import insync.agent.isr.PendingReadsConfig;
import insync.agent.stepdown.broker.StepDownConfigs;
import java.util.HashSet;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import kafka.server.KafkaConfig;
import scala.Option;

/** Names the plugin's configs that can be updated while the broker runs, per broker or as the cluster's default. */
public final class DynamicConfigs {
    private static final Set<String> NAMES = Set.of(PendingReadsConfig.PENDING_READS, PendingReadsConfig.SCOPE,
        StepDownConfigs.PROCESS_TIME_MAX_MS, StepDownConfigs.APPENDS, StepDownConfigs.COOLDOWN_MS, StepDownConfigs.LIMITS);

    private DynamicConfigs() { }

    /** Returns Kafka's set of dynamic configs with the plugin's. */
    public static Set<String> withOwn(Set<String> kafkas) {
        Set<String> all = new HashSet<>(kafkas);
        all.addAll(NAMES);
        return Set.copyOf(all);
    }

    /** Adds the plugin's to Kafka's set of dynamic configs, a Scala set. */
    public static void addOwn(scala.collection.mutable.Set<String> kafkas) {
        NAMES.forEach(kafkas::add);
    }

    /**
     * Gives configs whose updated value is invalid their previous value.
     *
     * @param valid those of the updated values that are valid
     */
    public static void keepPrevious(Properties updated, Properties valid, scala.collection.mutable.Map<String, String> previous) {
        for (String name : NAMES) {
            Option<String> kept = previous.get(name);
            if (updated.containsKey(name) && !valid.containsKey(name) && kept.isDefined()) {
                valid.put(name, kept.get());
                System.err.println("[insync] " + name + "=" + updated.get(name) + " is invalid; " + kept.get() + " stays in force");
            }
        }
    }

    /** Returns the present value of each that the broker's version defines. */
    public static Map<String, Object> values(KafkaConfig config) {
        Map<String, Object> values = new TreeMap<>();
        Map<String, ?> all = config.values();
        for (String name : NAMES) {
            if (all.containsKey(name)) {
                values.put(name, config.get(name));
            }
        }
        return values;
    }
}
