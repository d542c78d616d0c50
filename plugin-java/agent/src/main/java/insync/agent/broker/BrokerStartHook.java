package insync.agent.broker;

import insync.agent.isr.PendingReads;
import insync.agent.weave.Hook;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.matcher.ElementMatchers;
import org.apache.kafka.common.utils.Time;

/**
 * A broker's ReplicaManager exists: read the settings. With the feature on, the ReplicaManager gets its
 * {@link PendingReads} in a field of its own; off, the field stays null and is all that the hot path reads.
 */
public final class BrokerStartHook extends Hook {
    public static final String FIELD = "insync$pendingReads";

    private final ElementMatcher<MethodDescription> constructor;

    /** Where ReplicaManager has one constructor. */
    public BrokerStartHook() {
        this(ElementMatchers.isConstructor());
    }

    /** @param constructor the one to which all others lead */
    public BrokerStartHook(ElementMatcher<MethodDescription> constructor) {
        super("kafka.server.ReplicaManager", "<init>", Start.class);
        this.constructor = constructor;
    }

    @Override
    public ElementMatcher<MethodDescription> methods() {
        return constructor;
    }

    @Override
    public DynamicType.Builder<?> shape(DynamicType.Builder<?> builder) {
        return builder.defineField(FIELD, PendingReads.class, Visibility.PRIVATE);
    }

    static final class Start {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This ReplicaManager replicas, @Advice.Argument(0) KafkaConfig config,
                         @Advice.FieldValue("time") Time time,
                         @Advice.FieldValue(value = FIELD, readOnly = false) PendingReads pendingReads) {
            pendingReads = KafkaBroker.started(replicas, config, time);
        }
    }
}
