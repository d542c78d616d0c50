package insync.agent.kafka;

import insync.agent.weave.Hook;
import insync.core.FollowerFetches;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.modifier.FieldManifestation;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.FieldAccessor;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.matcher.ElementMatchers;
import org.apache.kafka.storage.internals.log.LogOffsetMetadata;

/**
 * The leader has read a follower's fetch and has recorded its state: the rule is told of it too. A fetch that
 * Kafka refuses, for its broker epoch say, is none. No election comes in between, because the caller holds
 * the partition's leaderIsrUpdateLock for reading.
 */
public final class UpdateFetchStateHook extends Hook {
    static final String FETCHES = "insync$fetches";
    static final String ELECTED = "insync$electedMs";

    /** @param replica the class of a remote replica in this version of Kafka */
    public UpdateFetchStateHook(String replica) {
        super(replica, "updateFetchStateOrThrow");
    }

    @Override
    public ElementMatcher<MethodDescription> methods() {
        return ElementMatchers.named("updateFetchStateOrThrow");
    }

    @Override
    public Class<?> advice() {
        return Update.class;
    }

    @Override
    public DynamicType.Builder<?> shape(DynamicType.Builder<?> builder) {
        return carry(builder);
    }

    /** Gives a Replica the fields of {@link FollowerCarrier}. */
    public static DynamicType.Builder<?> carry(DynamicType.Builder<?> builder) {
        return builder
            .defineField(FETCHES, FollowerFetches.class, Visibility.PRIVATE, FieldManifestation.VOLATILE)
            .defineField(ELECTED, long.class, Visibility.PRIVATE, FieldManifestation.VOLATILE)
            .implement(FollowerCarrier.class)
            .defineMethod(FETCHES, FollowerFetches.class, Visibility.PUBLIC)
            .intercept(FieldAccessor.ofField(FETCHES))
            .defineMethod(FETCHES, void.class, Visibility.PUBLIC).withParameters(FollowerFetches.class)
            .intercept(FieldAccessor.ofField(FETCHES))
            .defineMethod(ELECTED, long.class, Visibility.PUBLIC)
            .intercept(FieldAccessor.ofField(ELECTED));
    }

    static final class Update {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.FieldValue(FETCHES) FollowerFetches fetches,
                         @Advice.Argument(0) LogOffsetMetadata fetchOffset, @Advice.Argument(3) long leaderLeo) {
            if (fetches != null) {
                fetches.fetched(fetchOffset.messageOffset, leaderLeo);
            }
        }
    }
}
