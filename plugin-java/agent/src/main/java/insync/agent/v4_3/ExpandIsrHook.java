package insync.agent.v4_3;

import insync.agent.kafka.PartitionEvents;
import insync.agent.weave.Hook;
import kafka.cluster.Partition;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.matcher.ElementMatchers;
import org.apache.kafka.server.partition.CommittedPartitionState;

/** The leader takes a follower into the ISR: an event with what it knew of it. */
final class ExpandIsrHook extends Hook {

    ExpandIsrHook() {
        super("kafka.cluster.Partition", "prepareIsrExpand");
    }

    @Override
    public ElementMatcher<MethodDescription> methods() {
        return ElementMatchers.named("prepareIsrExpand");
    }

    @Override
    public Class<?> advice() {
        return Expand.class;
    }

    static final class Expand {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This Partition partition, @Advice.Argument(0) CommittedPartitionState before,
                         @Advice.Argument(1) int joining) {
            PartitionEvents.expand(partition, before.isr(), joining);
        }
    }
}
