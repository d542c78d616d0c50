package insync.agent.pausepoints;

import insync.agent.weave.Hook;
import kafka.cluster.Partition;
import net.bytebuddy.asm.Advice;

/** A partition is read: whatever this thread then asks of its log is for that. */
final class ReadRecordsHook extends Hook {

    ReadRecordsHook() {
        super("kafka.cluster.Partition", "readRecords", Read.class);
    }

    static final class Read {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.This Partition partition) {
            Holding.beginRead(Holding.UNKNOWN, partition.topicPartition());
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit() {
            Holding.endRead();
        }
    }
}
