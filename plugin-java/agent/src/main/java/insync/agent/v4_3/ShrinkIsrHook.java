package insync.agent.v4_3;

import insync.agent.kafka.PartitionEvents;
import insync.agent.weave.Hook;
import kafka.cluster.Partition;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.matcher.ElementMatchers;
import org.apache.kafka.server.partition.CommittedPartitionState;

/** The leader drops followers from the ISR: an event with what it knew of each. */
final class ShrinkIsrHook extends Hook {

    ShrinkIsrHook() {
        super("kafka.cluster.Partition", "prepareIsrShrink");
    }

    @Override
    public ElementMatcher<MethodDescription> methods() {
        return ElementMatchers.named("prepareIsrShrink");
    }

    @Override
    public Class<?> advice() {
        return Shrink.class;
    }

    static final class Shrink {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This Partition partition, @Advice.Argument(0) CommittedPartitionState before,
                         @Advice.Argument(1) scala.collection.immutable.Set<Object> outOfSync) {
            PartitionEvents.shrink(partition, before.isr(), outOfSync);
        }
    }
}
