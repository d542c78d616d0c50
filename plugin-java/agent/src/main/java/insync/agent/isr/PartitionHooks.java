package insync.agent.isr;

import insync.agent.broker.Brokers;
import insync.agent.weave.TypeHooks;
import insync.core.isr.FollowerTracker;
import java.util.List;
import kafka.cluster.Partition;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** Weaves Kafka's Partition: the out-of-sync check of followers, and elections. */
public final class PartitionHooks extends TypeHooks {
    public static final String TYPE = "kafka.cluster.Partition";
    /** The class of a partition's log, which has the lock. It moved in 4.1. */
    public static final String LOG = moved("kafka.log.UnifiedLog", "org.apache.kafka.storage.internals.log.UnifiedLog");

    /** @param hasRequests whether the version supports scope "request" */
    public PartitionHooks(boolean hasRequests) {
        super(TYPE);
        on("isFollowerOutOfSync", IsFollowerOutOfSync.class);
        on("makeLeader", MakeLeader.class);
        on("makeFollower", MakeFollower.class);
        if (hasRequests) {
            on("updateFollowerFetchState", UpdateFollowerFetchState.class);
        }
    }

    /** Keeps a follower in sync because of its pending fetch. Runs only if Kafka's rule says "out of sync". */
    static final class IsFollowerOutOfSync {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This Partition partition, @Advice.FieldValue("localBrokerId") int brokerId,
                         @Advice.Argument(0) int replicaId, @Advice.Argument(2) long nowMs,
                         @Advice.Argument(3) long maxLagMs, @Advice.Return(readOnly = false) boolean outOfSync) {
            if (outOfSync && Followers.holdsInSync(partition, brokerId, replicaId, nowMs, maxLagMs)) {
                outOfSync = false;
            }
        }
    }

    /** Tracks the followers of a partition that this broker leads. */
    static final class MakeLeader {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This Partition partition, @Advice.FieldValue("localBrokerId") int brokerId) {
            Followers.led(partition, brokerId);
        }
    }

    /**
     * Clears the followers' marks when this broker stops leading. It reads the followers before the change, because Kafka removes
     * the remote replicas during it.
     */
    static final class MakeFollower {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static List<FollowerTracker> enter(@Advice.This Partition partition) {
            return PartitionState.followersOf(partition);
        }

        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.Enter List<FollowerTracker> followers, @Advice.Return boolean newEpoch) {
            if (newEpoch) {
                Followers.resigned(followers);
            }
        }
    }

    /**
     * Gives the replica of a follower whose fetch was read a tracker of scope "request", before Kafka records the fetch.
     */
    static final class UpdateFollowerFetchState {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.This Partition partition,
                          @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object replica) {
            if (Brokers.anyRequestScope()) {
                RequestSteps.reading(partition, replica);
            }
        }
    }
}
