package insync.agent.isr;

import insync.agent.weave.Hook;
import kafka.cluster.Partition;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** A partition was read for a follower: with scope "request" its replica gets state of ours before it is recorded. */
public final class ReadForFollowerHook extends Hook {

    public ReadForFollowerHook() {
        super("kafka.cluster.Partition", "updateFollowerFetchState", Read.class);
    }

    static final class Read {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.This Partition partition,
                          @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object replica) {
            if (RequestLife.active()) {
                RequestLife.reading(partition, replica);
            }
        }
    }
}
