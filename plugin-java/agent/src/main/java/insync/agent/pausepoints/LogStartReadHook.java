package insync.agent.pausepoints;

import insync.agent.weave.Hook;
import net.bytebuddy.asm.Advice;

/** A log's start offset is asked for: in the read of a partition that comes after its high watermark. */
final class LogStartReadHook extends Hook {

    LogStartReadHook(String log) {
        super(log, "logStartOffset", Ask.class);
    }

    static final class Ask {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter() {
            Holding.halfRead(null);
        }
    }
}
