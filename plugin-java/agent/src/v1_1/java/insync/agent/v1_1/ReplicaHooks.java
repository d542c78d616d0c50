package insync.agent.v1_1;

import insync.agent.logstart.LogStarts;
import insync.agent.pausepoints.PausePointHooks;
import insync.agent.weave.Hook;
import kafka.cluster.Replica;
import kafka.server.AbstractFetcherThread;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.matcher.ElementMatchers;

/** Weaves Kafka's Replica, which owns a partition's log. */
public final class ReplicaHooks {
    private static final String TYPE = "kafka.cluster.Replica";
    private static final String LOG_START = "logStartOffset";

    private ReplicaHooks() { }

    /** KAFKA-7104's first fix. */
    static Hook bound() {
        return new Hook(TYPE, "maybeIncrementLogStartOffset", MaybeIncrementLogStartOffset.class);
    }

    static Hook logStartRead() {
        return new Hook(TYPE, LOG_START, () -> ElementMatchers.named(LOG_START).and(ElementMatchers.takesNoArguments()),
            LogStartOffset.class);
    }

    /**
     * Returns the log start offset to which a replica may move. It is bounded if a fetcher thread takes it from the leader's
     * response, and unchanged if DeleteRecords moves it.
     */
    public static long bounded(Replica replica, long newStart) {
        return Thread.currentThread() instanceof AbstractFetcherThread
            ? LogStarts.bounded(newStart, replica.logEndOffset().messageOffset(), replica.highWatermark().messageOffset())
            : newStart;
    }

    /** Bounds a follower's log start offset by the follower's own offsets. */
    static final class MaybeIncrementLogStartOffset {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.This Replica replica, @Advice.Argument(value = 0, readOnly = false) long newStart) {
            newStart = bounded(replica, newStart);
        }
    }

    /**
     * Passes the point before the log start offset is read. In the read of a partition this is after the high watermark.
     */
    static final class LogStartOffset {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.This Replica replica) {
            PausePointHooks.halfRead(replica.topicPartition());
        }
    }
}
