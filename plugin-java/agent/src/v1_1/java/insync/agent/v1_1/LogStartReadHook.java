package insync.agent.v1_1;

import insync.agent.pausepoints.Holding;
import insync.agent.weave.Hook;
import kafka.cluster.Replica;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.matcher.ElementMatchers;

/** A replica's log start offset is asked for: in the read of a partition that comes after its high watermark. */
final class LogStartReadHook extends Hook {

    LogStartReadHook() {
        super("kafka.cluster.Replica", "logStartOffset", Ask.class);
    }

    @Override
    public ElementMatcher<? super MethodDescription> methods() {
        return ElementMatchers.named("logStartOffset").and(ElementMatchers.takesNoArguments());
    }

    static final class Ask {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.This Replica replica) {
            Holding.halfRead(replica.topicPartition());
        }
    }
}
