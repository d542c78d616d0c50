package insync.agent.isr;

import insync.agent.weave.Hook;
import insync.core.NetworkThread;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/**
 * A network thread moves records from file to socket. The socket does not block, so what takes long here is the
 * leader's disk; every connection of the thread waits for it.
 */
public final class TransferHook extends Hook {

    /** @param fileRecords the class of records in a file in this version of Kafka */
    public TransferHook(String fileRecords) {
        super(fileRecords, "writeTo", Transfer.class);
    }

    static final class Transfer {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static NetworkThread enter(@Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object destination) {
            return RequestLife.enterTransfer(destination);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit(@Advice.Enter NetworkThread thread) {
            if (thread != null) {
                thread.leaveCall();
            }
        }
    }
}
