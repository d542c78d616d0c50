package insync.agent.isr;

import insync.agent.weave.Hook;
import insync.core.FollowerFetches;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.dynamic.DynamicType;
import org.apache.kafka.storage.internals.log.LogOffsetMetadata;

/**
 * The leader has read a follower's fetch and has recorded its state: the rule is told of it too. A fetch that
 * Kafka refuses, for its broker epoch say, is none. No election comes in between, because the caller holds
 * the partition's leaderIsrUpdateLock for reading.
 */
public final class UpdateFetchStateHook extends Hook {

    /** @param replica the class of a remote replica in this version of Kafka */
    public UpdateFetchStateHook(String replica) {
        super(replica, "updateFetchStateOrThrow", Update.class);
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
