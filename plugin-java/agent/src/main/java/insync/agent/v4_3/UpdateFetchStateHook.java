package insync.agent.v4_3;

import insync.agent.weave.Hook;
import insync.core.FollowerFetches;
import java.util.concurrent.atomic.AtomicReference;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.modifier.FieldManifestation;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.FieldAccessor;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.matcher.ElementMatchers;
import org.apache.kafka.server.replica.ReplicaState;
import org.apache.kafka.storage.internals.log.LogOffsetMetadata;

/**
 * The leader has read a follower's fetch and records its state. The previous log end offset is noted before
 * Kafka overwrites it; afterwards the rule may move the last caught-up time to now. No election comes in
 * between, because the caller holds the partition's leaderIsrUpdateLock for reading.
 */
final class UpdateFetchStateHook extends Hook {
    static final String FIELD = "insync$fetches";

    UpdateFetchStateHook() {
        super("org.apache.kafka.server.replica.Replica", "updateFetchStateOrThrow");
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
        return builder
            .defineField(FIELD, FollowerFetches.class, Visibility.PRIVATE, FieldManifestation.VOLATILE)
            .implement(FollowerCarrier.class)
            .defineMethod("insync$fetches", FollowerFetches.class, Visibility.PUBLIC)
            .intercept(FieldAccessor.ofField(FIELD))
            .defineMethod("insync$fetches", void.class, Visibility.PUBLIC).withParameters(FollowerFetches.class)
            .intercept(FieldAccessor.ofField(FIELD))
            .defineMethod("insync$state", AtomicReference.class, Visibility.PUBLIC)
            .intercept(FieldAccessor.ofField("replicaState"));
    }

    static final class Update {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static long enter(@Advice.FieldValue(FIELD) FollowerFetches fetches,
                          @Advice.FieldValue("replicaState") AtomicReference<ReplicaState> state) {
            // The maximum is no offset: a first fetch that is marked meanwhile finds no earlier one to compare with.
            return fetches == null ? Long.MAX_VALUE : state.get().lastFetchLeaderLogEndOffset();
        }

        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.FieldValue(FIELD) FollowerFetches fetches, @Advice.Enter long previousLeaderLeo,
                         @Advice.Argument(0) LogOffsetMetadata fetchOffset, @Advice.Argument(3) long leaderLeo) {
            if (fetches != null) {
                fetches.served(fetchOffset.messageOffset, leaderLeo, previousLeaderLeo);
            }
        }
    }
}
