package insync.agent.config;

import insync.agent.Extension;
import insync.agent.Features;
import insync.agent.broker.KillSwitch;
import insync.agent.isr.PendingReadsConfig;
import insync.agent.logstart.LogStartConfigs;
import insync.agent.stepdown.broker.StepDownConfigs;
import insync.core.Insync;
import insync.core.log.BrokerLog;
import insync.core.log.BrokerLog.Level;
import insync.core.log.BrokerLog.Name;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidConfigurationException;

/** Defines and checks the broker configs of all features, and says which are in force. */
public final class BrokerConfigs {
    /** The plugin's keys. */
    private static volatile ConfigDef keys = new ConfigDef();

    private BrokerConfigs() { }

    /** Adds the plugin's keys to the broker's definition of its configs. */
    public static void define(ConfigDef definition) {
        Features features = Features.current();
        ConfigDef own = new ConfigDef();
        PendingReadsConfig.define(own, features.scopes());
        StepDownConfigs.define(own, features.supportsStepDown());
        LogStartConfigs.define(own, features.supportsLogStart());
        Extension.current().define(own);
        own.configKeys().values().forEach(definition::define);
        keys = own;
        KillSwitch.register();
    }

    /** Says on standard error, and in the broker's log, what is on at a broker's start. */
    public static void sayAtStart(KafkaConfig config, BrokerLog log) {
        String who = "[insync] broker " + config.brokerId() + ": ";
        String configs = String.join(", ", inForce(config));
        System.err.println(who + configs);
        misspelled(config).forEach((name, meant) ->
            System.err.println(who + name + " is not a config of this broker; expected " + meant + "?"));
        Features features = Features.current();
        say(config, log, "The insync agent " + features.agentVersion() + " (adapter " + features.adapter + ") runs in Kafka "
            + features.brokerVersion + ". " + solutions(config) + " " + configs);
    }

    /** @param updates the configs that changed, as key=value */
    public static void sayAfterUpdate(KafkaConfig config, BrokerLog log, String updates) {
        say(config, log, "Configs were updated: " + updates + ". " + solutions(config));
    }

    private static void say(KafkaConfig config, BrokerLog log, String what) {
        String line = "[Broker " + config.brokerId() + "] " + what;
        log.offer(Name.AGENT, Level.INFO, () -> line);
    }

    /** Returns whether each solution is on, with its scope or its time. */
    private static String solutions(KafkaConfig config) {
        if (Features.current().scopes().isEmpty()) {
            return "This version of Kafka has no KIP-501.";
        }
        String first = PendingReadsConfig.enabled(config) ? "on, scope " + PendingReadsConfig.scope(config) : "off";
        return "KIP-501: solution 1 is " + first + "; solution 2 is "
            + (StepDownConfigs.isOn(config) ? "on, " + StepDownConfigs.limit(config) : "off") + ".";
    }

    /**
     * Returns whether followers with a pending fetch stay in sync and in which scope, and each of the plugin's other configs that is not
     * at its default, as key=value.
     */
    public static List<String> inForce(KafkaConfig config) {
        Map<String, Object> values = own(config);
        List<String> words = new ArrayList<>();
        words.add(PendingReadsConfig.PENDING_READS + "=" + values.remove(PendingReadsConfig.PENDING_READS));
        Object scope = values.remove(PendingReadsConfig.SCOPE);
        if (PendingReadsConfig.enabled(config)) {
            words.add(PendingReadsConfig.SCOPE + "=" + scope);
        }
        values.forEach((name, value) -> {
            if (!value.equals(keys.defaultValues().get(name))) {
                words.add(name + "=" + value);
            }
        });
        return words;
    }

    /** Returns the names in a broker's settings that it does not know but that look like one of the plugin's, with what was meant. */
    private static Map<String, String> misspelled(KafkaConfig config) {
        Map<String, String> found = new TreeMap<>();
        for (String name : config.originals().keySet()) {
            String nearest = config.values().containsKey(name) ? null : meant(name);
            if (nearest != null) {
                found.put(name, nearest);
            }
        }
        return found;
    }

    private static String meant(String name) {
        boolean isOfLab = name.startsWith("insync.lab.") || name.startsWith("insync.events.");
        return isOfLab && Extension.current().isNone() ? "the agent's option lab=FILE with it"
            : Spelling.nearest(name, keys.names());
    }

    private static Map<String, Object> own(KafkaConfig config) {
        Map<String, Object> values = new TreeMap<>(config.values());
        values.keySet().retainAll(keys.names());
        return values;
    }

    /**
     * Checks configs against each other.
     *
     * @throws ConfigException with the config, its value and what was expected
     */
    public static void check(KafkaConfig config) {
        StepDownConfigs.check(config);
        Extension.current().check(config);
    }

    /**
     * Checks each of the plugin's values in an update that a controller is asked for; {@link #check} is the broker's.
     *
     * @throws InvalidConfigurationException with the config, its value and what was expected
     */
    public static void checkUpdate(ConfigResource resource, Map<String, String> updated) {
        Map<String, String> own = new TreeMap<>(updated);
        own.keySet().retainAll(keys.names());
        own.values().removeIf(Objects::isNull);
        if (resource.type() == ConfigResource.Type.BROKER && !own.isEmpty() && !Insync.isDisabled()) {
            keys.validate(own).stream().filter(value -> own.containsKey(value.name()))
                .flatMap(value -> value.errorMessages().stream()).findFirst().ifPresent(error -> {
                    throw new InvalidConfigurationException(error);
                });
        }
    }

    /** Returns the values of the plugin's configs in a broker, and of Kafka's that goes with them, by name. */
    public static Map<String, Object> all(KafkaConfig config) {
        Map<String, Object> all = own(config);
        all.put(PendingReadsConfig.LAG_TIME_MAX_MS, PendingReadsConfig.lagTimeMaxMs(config));
        return all;
    }

    /** Finds the config that a user meant by a misspelled name. */
    static final class Spelling {
        /** A name of n letters is taken for another if at most n / this many letters differ, and at least two may. */
        private static final int LETTERS_PER_ERROR = 7;

        private Spelling() { }

        /** Returns the known name that is most like a given one, or null if none is like it. */
        static String nearest(String given, Collection<String> known) {
            String nearest = null;
            int least = Math.max(2, given.length() / LETTERS_PER_ERROR) + 1;
            for (String name : known) {
                int errors = distance(given, name);
                if (errors < least) {
                    least = errors;
                    nearest = name;
                }
            }
            return nearest;
        }

        /** Returns how many letters to insert, remove or replace (Levenshtein's distance). */
        static int distance(String from, String to) {
            int[] before = new int[to.length() + 1];
            for (int j = 0; j < before.length; j++) {
                before[j] = j;
            }
            for (int i = 1; i <= from.length(); i++) {
                int[] row = new int[before.length];
                row[0] = i;
                for (int j = 1; j < row.length; j++) {
                    int replaced = before[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                    row[j] = Math.min(replaced, Math.min(before[j], row[j - 1]) + 1);
                }
                before = row;
            }
            return before[to.length()];
        }
    }
}
