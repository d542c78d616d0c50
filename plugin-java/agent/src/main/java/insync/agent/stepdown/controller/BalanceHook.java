package insync.agent.stepdown.controller;

import insync.agent.weave.Hook;
import net.bytebuddy.asm.Advice;

/** On the controller: auto.leader.rebalance.enable is at work, every leader.imbalance.check.interval.seconds. */
public final class BalanceHook extends Hook {

    public BalanceHook() {
        super("org.apache.kafka.controller.ReplicationControlManager", "maybeBalancePartitionLeaders", Balance.class);
    }

    static final class Balance {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter() {
            Elections.restoring(true);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit() {
            Elections.restoring(false);
        }
    }
}
