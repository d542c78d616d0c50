package insync.agent.config;

import insync.agent.adapter.MovedClass;
import insync.agent.weave.Hook;
import insync.agent.weave.TypeHooks;
import java.util.List;
import java.util.Set;
import net.bytebuddy.asm.Advice;

/**
 * Weaves Kafka's DynamicBrokerConfig, whose class initialisation lists the configs that can be updated at run time. Kafka computes
 * from this list what it accepts, validates and describes as dynamic.
 */
public final class DynamicBrokerConfigHooks extends TypeHooks {
    /** The Java class, from 4.3 on. */
    private static final String JAVA = "org.apache.kafka.server.config.DynamicBrokerConfig";
    /** The Scala object before. */
    private static final String SCALA = "kafka.server.DynamicBrokerConfig$";

    public DynamicBrokerConfigHooks() {
        super(MovedClass.to(JAVA, SCALA));
    }

    @Override
    public List<Hook> hooks() {
        return List.of(on("<clinit>", typeName().equals(JAVA) ? AddToSet.class : AddToScalaSet.class));
    }

    /** Replaces the set, which cannot be changed. */
    static final class AddToSet {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.FieldValue(value = "ALL_DYNAMIC_CONFIGS", readOnly = false) Set<String> all) {
            all = DynamicConfigs.withOwn(all);
        }
    }

    /** Adds to the set. */
    static final class AddToScalaSet {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.FieldValue("AllDynamicConfigs") scala.collection.mutable.Set<String> all) {
            DynamicConfigs.addOwn(all);
        }
    }
}
