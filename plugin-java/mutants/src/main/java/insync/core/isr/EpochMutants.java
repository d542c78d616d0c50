package insync.core.isr;

import net.bytebuddy.asm.Advice;

/** Mutants of what an epoch or an election ends. */
public final class EpochMutants {

    private EpochMutants() { }

    /** Scope "request": the fetch of an older incarnation of the follower keeps it in sync. */
    public static final class AnyBrokerEpoch {
        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 1, readOnly = false) long leastBrokerEpoch) {
            leastBrokerEpoch = Long.MIN_VALUE;
        }
    }

    /** An election makes replicas outside of the ISR caught up, too. */
    public static final class AllInSync {
        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 3, readOnly = false) boolean inSync) {
            inSync = true;
        }
    }
}
