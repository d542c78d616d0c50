package insync.agent.v4_3;

import insync.agent.weave.Hook;
import insync.core.FollowerFetches;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.matcher.ElementMatchers;

/**
 * The leader is elected or re-elected in a new epoch: marks of the old epoch go before Kafka resets the
 * follower's state, so that no fetch of the old epoch can touch the new state.
 */
final class ResetReplicaStateHook extends Hook {

    ResetReplicaStateHook() {
        super("org.apache.kafka.server.replica.Replica", "resetReplicaState");
    }

    @Override
    public ElementMatcher<MethodDescription> methods() {
        return ElementMatchers.named("resetReplicaState");
    }

    @Override
    public Class<?> advice() {
        return Reset.class;
    }

    static final class Reset {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.FieldValue(UpdateFetchStateHook.FIELD) FollowerFetches fetches) {
            if (fetches != null) {
                fetches.clear();
            }
        }
    }
}
