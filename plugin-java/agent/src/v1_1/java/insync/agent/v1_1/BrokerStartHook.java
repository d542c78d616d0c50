package insync.agent.v1_1;

import insync.agent.weave.Hook;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.matcher.ElementMatchers;

/** A broker's ReplicaManager exists: its settings are known. The constructor is the one to which the other leads. */
final class BrokerStartHook extends Hook {
    private static final int ALL_ARGUMENTS = 15;

    BrokerStartHook() {
        super("kafka.server.ReplicaManager", "<init>", Begin.class);
    }

    @Override
    public ElementMatcher<? super MethodDescription> methods() {
        return ElementMatchers.isConstructor().and(ElementMatchers.takesArguments(ALL_ARGUMENTS));
    }

    static final class Begin {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This ReplicaManager replicas, @Advice.Argument(0) KafkaConfig config) {
            Broker.started(replicas, config);
        }
    }
}
