package insync.agent.config;

import insync.agent.broker.BrokerLifecycle;
import insync.agent.weave.TypeHooks;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import kafka.server.KafkaConfig;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.matcher.ElementMatchers;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigResource;

/** Weaves the classes by which Kafka defines, checks and updates a broker's configs. */
public final class ConfigHooks extends TypeHooks {
    private static final String CONFIG = "kafka.server.KafkaConfig";
    private static final String MERGED = "org.apache.kafka.server.config.AbstractKafkaConfig";
    /** The class with the list of configs that can be updated at run time: in Java from 4.3 on, a Scala object before. */
    private static final String DYNAMIC =
        moved("org.apache.kafka.server.config.DynamicBrokerConfig", "kafka.server.DynamicBrokerConfig$");

    private ConfigHooks() {
        super(CONFIG);
        on("validateValues", ValidateValues.class);
        on("updateCurrentConfig", ElementMatchers.named("updateCurrentConfig")
            .and(ElementMatchers.takesArgument(0, ElementMatchers.named(CONFIG))), UpdateCurrentConfig.class);
    }

    /** Returns the hooks on what defines all configs: up to 3.8 an object, later the classes from which Kafka merges the definition. */
    public static TypeHooks definition() {
        return MERGED.equals(moved(MERGED, CONFIG))
            ? new TypeHooks("org.apache.kafka.server.config.ReplicationConfigs").on("<clinit>", Define.class)
            : new TypeHooks(CONFIG + "$").on("<clinit>", DefineInScala.class);
    }

    public static List<TypeHooks> checks() {
        return List.of(new ConfigHooks(),
            new TypeHooks(DYNAMIC).on("<clinit>", DYNAMIC.endsWith("$") ? AddToScalaSet.class : AddToSet.class),
            new TypeHooks("kafka.server.DynamicBrokerConfig").on("fromPersistentProps", FromPersistentProps.class),
            new TypeHooks("kafka.server.ControllerConfigurationValidator").on("validate",
                ElementMatchers.named("validate").and(ElementMatchers.takesArgument(1, Map.class)), Validate.class));
    }

    /** Defines the plugin's configs beside Kafka's, so that Kafka reads, validates and describes them. */
    static final class Define {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.FieldValue("CONFIG_DEF") ConfigDef definition) {
            BrokerConfigs.define(definition);
        }
    }

    /** The same; those that the version lacks only to refuse them. */
    static final class DefineInScala {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.FieldValue("configDef") ConfigDef definition) {
            BrokerConfigs.define(definition);
        }
    }

    /**
     * Checks the plugin's configs after Kafka's own, and registers a controller's metrics. Like Kafka's checks it throws
     * ConfigExceptions, so its exceptions are not suppressed.
     */
    static final class ValidateValues {
        @Advice.OnMethodExit
        static void exit(@Advice.This KafkaConfig config) {
            BrokerConfigs.check(config);
            BrokerLifecycle.configured(config);
        }
    }

    /** Applies updated values to the plugin's parts of the broker. */
    static final class UpdateCurrentConfig {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This KafkaConfig config) {
            BrokerLifecycle.reconfigured(config);
        }
    }

    /** Replaces the list of dynamic configs, from which Kafka computes what it accepts, validates and describes as dynamic. */
    static final class AddToSet {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.FieldValue(value = "ALL_DYNAMIC_CONFIGS", readOnly = false) Set<String> all) {
            all = DynamicConfigs.withOwn(all);
        }
    }

    /** Adds to that list. */
    static final class AddToScalaSet {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.FieldValue("AllDynamicConfigs") scala.collection.mutable.Set<String> all) {
            DynamicConfigs.addOwn(all);
        }
    }

    /**
     * Keeps the previous value of a config of the plugin whose new value Kafka ignores because it is invalid. A controller does
     * not check values, so an invalid one can arrive; without this it would turn a feature off.
     */
    static final class FromPersistentProps {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.Argument(0) Properties persistent, @Advice.Argument(1) boolean perBroker,
                         @Advice.FieldValue("dynamicBrokerConfigs") scala.collection.mutable.Map<String, String> ofBroker,
                         @Advice.FieldValue("dynamicDefaultConfigs") scala.collection.mutable.Map<String, String> ofCluster,
                         @Advice.Return Properties valid) {
            DynamicConfigs.keepPrevious(persistent, valid, perBroker ? ofBroker : ofCluster);
        }
    }

    /**
     * Refuses invalid values of the plugin's configs in an update that a controller is asked for, as Kafka refuses those of a topic,
     * so its exceptions are not suppressed. Of a broker's configs Kafka's own checks nothing but the broker's id.
     */
    static final class Validate {
        @Advice.OnMethodExit
        static void exit(@Advice.Argument(0) ConfigResource resource, @Advice.Argument(1) Map<String, String> updated) {
            BrokerConfigs.checkUpdate(resource, updated);
        }
    }
}
