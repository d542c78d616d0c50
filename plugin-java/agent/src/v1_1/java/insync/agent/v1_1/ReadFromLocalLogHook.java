package insync.agent.v1_1;

import insync.agent.pausepoints.Holding;
import insync.agent.weave.Hook;
import net.bytebuddy.asm.Advice;

/** Partitions are read for a replica: whatever this thread then asks of their logs is for that. */
final class ReadFromLocalLogHook extends Hook {

    ReadFromLocalLogHook() {
        super("kafka.server.ReplicaManager", "readFromLocalLog", Read.class);
    }

    static final class Read {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.Argument(0) int replica) {
            Holding.beginRead(replica, null);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit() {
            Holding.endRead();
        }
    }
}
