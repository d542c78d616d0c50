package insync.agent.v2_8;

import insync.agent.isr.FollowerState;
import insync.agent.weave.Hook;
import insync.core.FollowerFetches;
import kafka.server.LogOffsetMetadata;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.dynamic.DynamicType;

/**
 * The leader records a follower's fetch: the rule is told of it too. An offset below 0 is no fetch but the second
 * step of an election of a leader that did not lead before (the first is {@link ResetReplicaHook}).
 */
final class UpdateFetchStateHook extends Hook {

    UpdateFetchStateHook() {
        super("kafka.cluster.Replica", "updateFetchState", Update.class);
    }

    @Override
    public DynamicType.Builder<?> shape(DynamicType.Builder<?> builder) {
        return FollowerState.carry(builder);
    }

    static final class Update {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.FieldValue(FollowerState.FETCHES) FollowerFetches fetches,
                         @Advice.FieldValue(FollowerState.ELECTED) long electedMs,
                         @Advice.Argument(0) LogOffsetMetadata fetchOffset, @Advice.Argument(3) long leaderLeo) {
            if (fetches == null) {
                return;
            }
            if (fetchOffset.messageOffset() >= 0) {
                fetches.fetched(fetchOffset.messageOffset(), leaderLeo);
            } else {
                fetches.elected(electedMs, leaderLeo, true, electedMs > 0);
            }
        }
    }
}
