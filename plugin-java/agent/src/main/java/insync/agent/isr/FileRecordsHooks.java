package insync.agent.isr;

import insync.agent.weave.TypeHooks;
import insync.core.isr.NetworkThread;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** Weaves Kafka's FileRecords, a class that moved in 4.3. */
public final class FileRecordsHooks extends TypeHooks {

    public FileRecordsHooks() {
        super(moved("org.apache.kafka.common.record.FileRecords",
            "org.apache.kafka.common.record.internal.FileRecords"));
        on("writeTo", WriteTo.class);
    }

    /**
     * Notes that a network thread transfers records from file to socket. The socket does not block, so a long call means
     * that the leader's disk is slow. Every connection of the thread waits for the call.
     */
    static final class WriteTo {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static NetworkThread enter(@Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object destination) {
            return RequestSteps.enterTransfer(destination);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit(@Advice.Enter NetworkThread thread) {
            if (thread != null) {
                thread.leaveCall();
            }
        }
    }
}
