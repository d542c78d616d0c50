package insync.agent.v1_1;

import insync.agent.weave.TypeHooks;
import insync.core.Insync;
import kafka.cluster.Replica;
import kafka.server.AbstractFetcherThread;
import net.bytebuddy.asm.Advice;

/** Weaves Kafka's Replica, which owns a partition's log. */
public final class ReplicaHooks {

    private ReplicaHooks() { }

    /** KAFKA-7104's first fix. */
    static TypeHooks bound() {
        return new TypeHooks("kafka.cluster.Replica").on("maybeIncrementLogStartOffset", MaybeIncrementLogStartOffset.class);
    }

    /**
     * Returns the log start offset to which a replica may move. It is bounded if a fetcher thread takes it from the leader's
     * response, and unchanged if DeleteRecords moves it.
     */
    public static long bounded(Replica replica, long newStart) {
        return Thread.currentThread() instanceof AbstractFetcherThread
            ? Insync.current().logStarts.bounded(newStart, replica.logEndOffset().messageOffset(), replica.highWatermark().messageOffset())
            : newStart;
    }

    /** Bounds a follower's log start offset by the follower's own offsets. */
    static final class MaybeIncrementLogStartOffset {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.This Replica replica, @Advice.Argument(value = 0, readOnly = false) long newStart) {
            newStart = bounded(replica, newStart);
        }
    }
}
