package insync.agent.kafka;

import insync.agent.weave.Hook;
import insync.core.FollowerFetches;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.matcher.ElementMatchers;
import org.apache.kafka.storage.internals.log.LogOffsetMetadata;

/**
 * The leader has read a follower's fetch and has recorded its state: the rule is told of it too. A fetch that
 * Kafka refuses, for its broker epoch say, is none. No election comes in between, because the caller holds
 * the partition's leaderIsrUpdateLock for reading.
 */
public final class UpdateFetchStateHook extends Hook {

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
        return FollowerState.carry(builder);
    }

    static final class Update {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.FieldValue(FollowerState.FETCHES) FollowerFetches fetches,
                         @Advice.Argument(0) LogOffsetMetadata fetchOffset, @Advice.Argument(3) long leaderLeo) {
            if (fetches != null) {
                fetches.fetched(fetchOffset.messageOffset, leaderLeo);
            }
        }
    }
}
