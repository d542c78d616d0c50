package insync.lab.pausepoints;

import insync.agent.weave.Hook;
import net.bytebuddy.asm.Advice;

/** Weaves a pause point into a partition's log, a class that moved in 4.1. */
final class LogHooks {

    private LogHooks() { }

    static Hook logStartRead(String log) {
        return new Hook(log, "logStartOffset", LogStartOffset.class);
    }

    /**
     * Passes the point before the log start offset is read. In the read of a partition this is after the high watermark.
     */
    static final class LogStartOffset {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter() {
            PausePointHooks.halfRead(null);
        }
    }
}
