package insync.agent.stepdown.controller;

import insync.agent.weave.TypeHooks;
import net.bytebuddy.asm.Advice;

/** Weaves the controller's ReplicationControlManager, which runs automatic preferred elections. */
public final class ReplicationControlManagerHooks extends TypeHooks {

    public ReplicationControlManagerHooks() {
        super("org.apache.kafka.controller.ReplicationControlManager");
        on("maybeBalancePartitionLeaders", MaybeBalancePartitionLeaders.class);
    }

    /** Notes that this thread's elections are automatic (auto.leader.rebalance.enable). */
    static final class MaybeBalancePartitionLeaders {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter() {
            AutomaticElections.restoring(true);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit() {
            AutomaticElections.restoring(false);
        }
    }
}
